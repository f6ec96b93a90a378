/**
 * The nine gates (spec §5.1, contract §3): credential, scope, ancestor, tenant, risk, owner gate, fixed body, use budget,
 * payload ceiling. Evaluated in that order over rows that the deciding transaction has loaded; the first refusal ends
 * the call. A refused call consumes no quota.
 */
import { fault, gateNames, isFault, type Fault, type FaultCode, type GateName } from '../../kernel/fault.ts';
import { canonicalJson, parseJson, type JsonObject } from '../../kernel/json.ts';
import { outsideBinding } from './binding.ts';
import type { Credential } from './credential.ts';
import { checkAppendScope, covers, grantsOf } from './grants.ts';
import type { Row } from './row.ts';
import type { CapabilityRow } from './tables.ts';

export interface GateCall {
  readonly row: Row;
  readonly credential: Credential;
  readonly tenant: string;
  /** The article the call is about, where its arguments name one. */
  readonly slug: string | undefined;
  /** The document that a document-mode batch brings. */
  readonly document?: JsonObject | undefined;
  /** There is an article of that slug, so that the document would be appended to it. */
  readonly appends?: boolean | undefined;
  readonly body: string;
  /** ISO 8601. */
  readonly now: string;
  /** Default ceiling in UTF-8 bytes. */
  readonly bodyBytesMax: number;
  /** The owner approved the proposal; its use was taken when it was made. */
  readonly approved?: boolean | undefined;
}

export interface GateMark extends JsonObject {
  readonly gate: GateName;
  readonly ok: boolean;
  readonly note: string;
}

export interface Judgement {
  readonly trace: readonly GateMark[];
  readonly refused: Fault | undefined;
  /** Allowed, but it waits for the owner's approval. */
  readonly gated: boolean;
  /** Capabilities whose quota this call consumes. */
  readonly charged: readonly CapabilityRow[];
}

type Verdict = string | Fault;

const judges: Readonly<Record<GateName, (call: GateCall) => Verdict>> = {
  credential: judgeCredential,
  scope: judgeScope,
  ancestor: judgeAncestors,
  tenant: judgeTenant,
  risk: judgeRisk,
  owner_gate: judgeOwnerGate,
  fixed_body: judgeFixedBody,
  use_budget: judgeBudget,
  payload_ceiling: judgePayload,
};

export function judge(call: GateCall): Judgement {
  const trace: GateMark[] = [];
  for (const gate of gateNames) {
    const verdict = judges[gate](call);
    if (typeof verdict !== 'string') {
      trace.push({ gate, ok: false, note: verdict.fault });
      return { trace, refused: { ...verdict, gate }, gated: false, charged: [] };
    }
    trace.push({ gate, ok: true, note: verdict });
  }
  return {
    trace,
    refused: undefined,
    gated: isGated(call),
    charged: consumesQuota(call) ? chargedBy(call.credential) : [],
  };
}

/**
 * Whether a credential can invoke a row for at least one article, directly or as a proposal to the owner. Used to list
 * rows; a call itself still passes all nine gates.
 */
export function canInvoke(row: Row, credential: Credential, now: string): boolean {
  const chain = credential.kind === 'share' ? credential.chain : [];
  const slugs = new Set([
    undefined,
    ...chain.flatMap(({ record }) => grantsOf(record).map(({ article }) => article ?? undefined)),
  ]);
  return [...slugs].some((slug) => {
    const call: GateCall = { row, credential, tenant: '', slug, body: '', now, bodyBytesMax: 0 };
    return [judgeCredential, judgeScope, judgeRisk].every((judged) => {
      const verdict = judged(call);
      return typeof verdict === 'string' || verdict.fault === 'owner_gate_required';
    });
  });
}

/** A delegating row does not consume quota: the call that it makes does. */
function consumesQuota({ row, approved }: GateCall): boolean {
  return !row.selfLimiting && !row.delegates && approved !== true;
}

/** Links of the chain with limited uses. */
export function chargedBy(credential: Credential): readonly CapabilityRow[] {
  return credential.kind === 'share' ? credential.chain.filter((link) => link.record.max_uses > 0) : [];
}

function chainOf(call: GateCall): readonly CapabilityRow[] {
  return call.credential.kind === 'share' ? call.credential.chain : [];
}

function judgeCredential(call: GateCall): Verdict {
  if (call.credential.kind === 'owner') return 'owner';
  const [own] = chainOf(call);
  if (own === undefined) {
    if (call.row.requiresApproval) {
      return fault(
        'owner_gate_required',
        `${call.row.key} fires only with the owner's approval.`,
        'Hand the proposal to the owner, or ask for a share for this row.',
        {
          proposal: { key: call.row.key, body: call.body },
        },
      );
    }
    if (call.row.auth === 'owner') return ownerOnly(call.row);
    return call.row.auth === 'none'
      ? 'none needed'
      : fault(
          'credential_required',
          `${call.row.key} needs a share whose scope covers it.`,
          'Add share=<TOKEN>, or ask the owner for one.',
        );
  }
  return checkOwnExpiry(own, call.now) ?? 'authentic';
}

function checkOwnExpiry(own: CapabilityRow, now: string): Fault | undefined {
  if (own.revoked_at !== null)
    return fault('token_revoked', 'The share was revoked.', 'Ask its issuer for another.');
  if (own.record.expires_at <= now)
    return fault('token_expired', `The share expired at ${own.record.expires_at}.`, 'Ask for a fresh share.');
  return undefined;
}

function checkAncestorExpiry(ancestors: readonly CapabilityRow[], now: string): Fault | undefined {
  for (const ancestor of ancestors) {
    if (ancestor.revoked_at !== null)
      return fault(
        'ancestor_revoked',
        'A share that this one was cut from was revoked.',
        'Ask the owner for another.',
      );
    if (ancestor.record.expires_at <= now)
      return fault(
        'ancestor_expired',
        'A share that this one was cut from has expired.',
        'Ask the owner for another.',
      );
  }
  return undefined;
}

/**
 * A fault if the credential or an ancestor is revoked or expired at `now` (ISO 8601). Calls are checked by the gates;
 * reads, which pass no gates, are checked here (contract §4: checked on every use, reads included).
 */
export function checkExpiry(credential: Credential, now: string): Fault | undefined {
  if (credential.kind !== 'share') return undefined;
  const [own, ...ancestors] = credential.chain;
  if (own === undefined) return undefined;
  const itself = checkOwnExpiry(own, now);
  if (itself !== undefined) return { ...itself, gate: 'credential' };
  const above = checkAncestorExpiry(ancestors, now);
  return above === undefined ? undefined : { ...above, gate: 'ancestor' };
}

function ownerOnly(row: Row): Fault {
  return fault('owner_only', `${row.key} is the owner's alone.`, 'Ask the owner to do it.');
}

function judgeScope(call: GateCall): Verdict {
  const verdict = scopeOf(call);
  if (typeof verdict !== 'string' || call.row.rowOverride?.enabled !== false) return verdict;
  return fault(
    'row_disabled',
    `${call.row.key} is switched off.`,
    'Use another row, or ask the owner to switch it on.',
  );
}

function scopeOf(call: GateCall): Verdict {
  const { row } = call;
  if (call.credential.kind === 'owner') return 'owner';
  const chain = chainOf(call);
  if (chain.length === 0) return 'public row';
  if (row.selfLimiting) return 'only narrows';
  for (const { record } of chain) {
    const covering = grantsOf(record).filter((grant) => covers(grant, row));
    if (covering.length === 0) return scopeFault(call, record.scope);
    if (!row.delegates && covering.every(({ article }) => article !== null && article !== call.slug)) {
      return fault(
        'scope_denied',
        `The credential is bound to the article ${covering.map(({ article }) => article).join(', ')}.`,
        'Call it for that article, or ask for another one.',
      );
    }
  }
  if (row.auth === 'owner') return ownerOnly(row);
  const { binding } = call.credential as Extract<Credential, { kind: 'share' }>;
  const outside = binding === undefined ? undefined : outsideBinding(binding, row.key, call.document);
  const unscoped =
    call.appends === true && call.slug !== undefined ? checkAppendScope(row, call.slug, chain) : undefined;
  return outside ?? unscoped ?? (binding === undefined ? 'covered' : `work on ${binding.assignment.id}`);
}

function scopeFault(call: GateCall, scope: string): Fault {
  const { row } = call;
  const voxel = row.key.startsWith('VOXEL_') && !row.inAct && (scope === 'act' || scope === 'read');
  const code: FaultCode =
    row.auth === 'owner' ? 'owner_only' : voxel ? 'voxel_scope_required' : 'scope_denied';
  return fault(
    code,
    `The share does not cover ${row.key}.`,
    voxel
      ? `Ask for a share with an explicit scope for ${row.key}.`
      : 'Call what it covers (see explain), or ask for a share for this row.',
  );
}

function judgeAncestors(call: GateCall): Verdict {
  const [, ...ancestors] = chainOf(call);
  return (
    checkAncestorExpiry(ancestors, call.now) ??
    (ancestors.length === 0 ? 'no ancestors' : `${ancestors.length} in force`)
  );
}

function judgeTenant(call: GateCall): Verdict {
  for (const { record } of chainOf(call)) {
    if (record.tenant !== call.tenant)
      return fault('scope_denied', 'The share belongs to another workspace.', 'Use it where it was minted.');
  }
  return call.tenant;
}

function judgeRisk(call: GateCall): Verdict {
  if (call.row.risk === 'low') return 'low';
  if (call.credential.kind === 'owner') return 'owner';
  const capped = chainOf(call).find(({ record }) => record.risk_ceiling === 'low');
  // A self-limiting row only delegates existing authority, so the ceiling does not apply.
  if (capped === undefined || call.row.selfLimiting) return 'within the ceiling';
  return fault(
    'risk_ceiling',
    `${call.row.key} is a high-risk row and the share's ceiling is low.`,
    'Ask the owner for a share with risk_ceiling high.',
  );
}

function isGated(call: GateCall): boolean {
  const { row, approved } = call;
  if (row.safe || row.selfLimiting || row.delegates || approved === true) return false;
  return chainOf(call).some(({ record }) => record.owner_gate);
}

function judgeOwnerGate(call: GateCall): Verdict {
  if (call.credential.kind === 'owner') return 'the owner is its own approval';
  if (call.approved === true) return 'the owner approved';
  return isGated(call) ? 'waits for the owner' : 'not gated';
}

function judgeFixedBody(call: GateCall): Verdict {
  if (call.row.selfLimiting) return 'only narrows';
  if (call.row.delegates) return 'judged with the call that it makes';
  for (const { record } of chainOf(call)) {
    if (record.body_fixed !== null && !isSameBody(record.body_fixed, call.body)) {
      return fault(
        'fixed_body_only',
        'The share works with one fixed body only.',
        'Send exactly the body that explain shows.',
      );
    }
  }
  return 'free';
}

/** Equal texts, or equal JSON objects however they are written. */
function isSameBody(fixed: string, body: string): boolean {
  if (fixed === body) return true;
  const [left, right] = [objectText(fixed), objectText(body)];
  return left !== undefined && left === right;
}

function objectText(body: string): string | undefined {
  const parsed = body.trimStart().startsWith('{') ? parseJson(body) : undefined;
  return parsed === undefined || isFault(parsed) ? undefined : canonicalJson(parsed.value);
}

function judgeBudget(call: GateCall): Verdict {
  if (call.row.selfLimiting) return 'takes no use';
  if (call.approved === true) return 'taken with the proposal';
  const spent = chargedBy(call.credential).find((link) => link.uses >= link.record.max_uses);
  if (spent === undefined) return 'within the budget';
  return fault(
    'token_exhausted',
    `The share ${spent.record.fingerprint} has no uses left.`,
    'Ask for a share with more uses.',
  );
}

function judgePayload(call: GateCall): Verdict {
  const ceilings = chainOf(call).flatMap(({ record }) =>
    record.max_body_bytes === null ? [] : [record.max_body_bytes],
  );
  const ceiling = Math.min(call.bodyBytesMax, ...ceilings);
  const bytes = Buffer.byteLength(call.body);
  if (bytes <= ceiling) return `${bytes} of ${ceiling} bytes`;
  return fault(
    'payload_ceiling',
    `The body has ${bytes} bytes; at most ${ceiling} are allowed.`,
    'Send less, or split the work over several calls.',
  );
}
