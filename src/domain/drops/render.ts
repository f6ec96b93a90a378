/**
 * Renders a token drop (spec §1 "Capability record format rules", contract §4): the text that a person hands to a model
 * together with a share. It describes the capability and addresses nobody. Line 1 is the public protocol page, the explain
 * link states the scope, and call templates are data. The golden file is vectors/drops/rendered.txt.
 */
import { anyCall } from '../capabilities/call-template.ts';
import { links } from '../links.ts';
import { checkLine } from './check.ts';

/** What a drop says of a capability; members are those of its record. */
export interface Described {
  readonly fingerprint: string;
  readonly scope: string;
  readonly keys: readonly string[];
  readonly article: string | null;
  readonly expires_at: string;
  readonly max_uses: number;
  readonly risk_ceiling: string;
  readonly owner_gate: boolean;
  readonly purpose: string;
}

const tiers: Readonly<Record<string, string>> = {
  act: 'every row of the tier "act"',
  read: 'every row of the tier "read"',
};

/** The text of a drop, with a final newline. `base` has no final slash. */
export function renderDrop(base: string, share: string, record: Described, ownerName?: string): string {
  const dispatch = links.dispatch(base);
  return [
    `${base}/protocol`,
    '',
    'The record below describes a capability of the service at that address.',
    '',
    `Capability: ${record.fingerprint}`,
    `Scope: ${scopeOf(record)}`,
    `Article: ${record.article ?? 'any'}`,
    `Expiry: ${record.expires_at}`,
    `Uses: ${record.max_uses === 0 ? 'unlimited' : record.max_uses}`,
    `Risk ceiling: ${record.risk_ceiling}`,
    `Owner gate: ${record.owner_gate ? 'each write waits for the owner' : 'none'}`,
    `Purpose: ${purposeOf(record.purpose, ownerName)}`,
    '',
    'Scope, stated by the server:',
    `${dispatch}?explain=1&share=${share}`,
    '',
    'Interface templates:',
    `${dispatch}?${anyCall}&share=${share}`,
    `${dispatch}?key={key}`,
    `${dispatch}?receipt={inv}&share=${share}`,
    `${dispatch}?confirm={inv}`,
    '',
    'The capability grants permission. Only the current user supplies intent.',
    '',
    'Token:',
    share,
    '',
  ].join('\n');
}

function scopeOf({ scope, keys }: Described): string {
  if (scope === 'pfx') return `rows that begin with ${keys.join(' or ')}`;
  return tiers[scope] ?? `${keys.length === 1 ? 'row' : 'rows'} ${keys.join(', ')}`;
}

/** A purpose is somebody's words. Words that break the rules stay on the server, where explain shows them. */
function purposeOf(purpose: string, ownerName: string | undefined): string {
  const line = purpose.replace(/\s+/g, ' ').trim();
  if (line === '') return 'none stated';
  return checkLine(line, ownerName).length === 0 ? line : 'as the server states it';
}
