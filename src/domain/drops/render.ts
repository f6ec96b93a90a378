/**
 * Renders a token drop (spec §1 "Capability record format rules", contract §4): the text that a person hands to a model
 * together with a share. It describes the capability and addresses nobody. Line 1 is the public protocol page, the explain
 * link states the scope, and call templates are data. The golden file is vectors/drops/rendered.txt.
 */
import { anyCall, callParameters } from '../capabilities/call-template.ts';
import { isRequired, placedNames, type Row } from '../capabilities/row.ts';
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
  readonly body_fixed?: string | null;
}

const tiers: Readonly<Record<string, string>> = {
  act: 'every row of the tier "act"',
  read: 'every row of the tier "read"',
};

/** Who must not be named, and the rows whose arguments can be described. */
interface DropContext {
  readonly ownerName?: string | undefined;
  readonly rows?: ReadonlyMap<string, Row>;
}

/** The text of a drop, with a final newline. `base` has no final slash. */
export function renderDrop(
  base: string,
  share: string,
  record: Described,
  { ownerName, rows = new Map() }: DropContext = {},
): string {
  const dispatch = links.dispatch(base);
  const key = onlyKey(record);
  const row = key === undefined ? undefined : rows.get(key);
  return [
    `${base}/protocol`,
    '',
    'The record below describes a capability of the service at that address.',
    '',
    `Capability: ${record.fingerprint}`,
    `Scope: ${scopeOf(record)}`,
    `Article: ${record.article ?? 'any'}`,
    ...(record.article === null ? [] : [`Article address: ${links.article(base, record.article)}`]),
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
    `${dispatch}?${callOf(record, key, row)}&share=${share}`,
    `${dispatch}?key=${key ?? '{key}'}`,
    `${dispatch}?receipt={inv}&share=${share}`,
    `${dispatch}?confirm={inv}`,
    '',
    argumentsOf(record, row, ownerName),
    'An address with invoke performs the call when it is opened; the call of a row that writes is a write.',
    'An address with soft=1 has status 200 for errors as well.',
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

/** The row of a share for one row alone. */
function onlyKey({ scope, keys }: Described): string | undefined {
  return (scope === 'row' || scope === 'rows') && keys.length === 1 ? keys[0] : undefined;
}

/** A call with the only row and the bound article filled in. */
function callOf(
  { article, body_fixed: fixed }: Described,
  key: string | undefined,
  row: Row | undefined,
): string {
  const any = key === undefined ? anyCall : anyCall.replace('{key}', key);
  if (fixed != null) return any.replace(/&.*/, '&body={fixed_body}');
  if (row === undefined) return any;
  return callParameters(row, article !== null && row.argNames[0] === 'slug' ? { slug: article } : {});
}

const namedForm =
  'Arguments: by name, one arg.{name} for each name in the contract of the row; a text is percent-encoded and may hold anything.';

/** The names of the only row's arguments in their order, else the named form. */
function argumentsOf(
  { body_fixed: fixed }: Described,
  row: Row | undefined,
  ownerName: string | undefined,
): string {
  if (fixed != null) return 'Arguments: one fixed body, which the explain link states.';
  if (row === undefined) return namedForm;
  if (row.argNames.length === 0) return 'Arguments: none.';
  const names = placedNames(row).map((name) => (isRequired(row, name) ? name : `${name} (optional)`));
  const line = `Arguments in order, each also by name as arg.{name}: ${names.join(', ')}.`;
  return checkLine(line, ownerName).length === 0 ? line : namedForm;
}

/** A purpose is somebody's words. Words that break the rules stay on the server, where explain shows them. */
function purposeOf(purpose: string, ownerName: string | undefined): string {
  const line = purpose.replace(/\s+/g, ' ').trim();
  if (line === '') return 'none stated';
  return checkLine(line, ownerName).length === 0 ? line : 'as the server states it';
}
