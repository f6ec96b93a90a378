/**
 * The authority of a call in its transaction (contract §3, §4): the credential with current uses and revocations, and
 * the judgement of the nine gates.
 */
import type { Credential } from '../../domain/capabilities/credential.ts';
import { judge, type Judgement } from '../../domain/capabilities/gates.ts';
import { mintEvent } from '../../domain/capabilities/life-cycle.ts';
import type { Row } from '../../domain/capabilities/row.ts';
import { capabilityTable, type CapabilityRow } from '../../domain/capabilities/tables.ts';
import { splitAddress } from '../../domain/articles/slugs.ts';
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import type { Tx, View } from '../../engine/act.ts';
import type { Fault } from '../../kernel/fault.ts';
import { parseJson, type JsonObject } from '../../kernel/json.ts';
import { isFault } from '../../kernel/fault.ts';
import { bindingIn, unrecordedShare } from './authenticate.ts';

/** What the gates judge of a call. */
export interface JudgedCall {
  readonly row: Row;
  readonly credential: Credential;
  readonly tenant: string;
  readonly args: JsonObject | Fault;
  readonly body: string;
  readonly now: string;
  readonly bodyBytesMax: number;
  /** The owner approved it. */
  readonly approved?: boolean | undefined;
}

/**
 * The credential by the transaction's state; a Fault if the ledger has no record of it. The first use of a self-cut
 * share records it.
 */
export function currentCredential(
  tx: Tx,
  credential: Credential,
  call: { readonly now: string; readonly inv: string },
): Credential | Fault {
  if (credential.kind !== 'share') return credential;
  const { fingerprint, unused } = credential;
  if (unused !== undefined && tx.row(capabilityTable, fingerprint) === undefined)
    tx.append(mintEvent(unused, { now: call.now, actor: 'anonymous', inv: call.inv }));
  const chain: CapabilityRow[] = [];
  for (let next: string | null = fingerprint; next !== null;) {
    const link: CapabilityRow | undefined = tx.row(capabilityTable, next);
    if (link === undefined) return unrecordedShare();
    chain.push(link);
    next = link.record.parent;
  }
  const binding = bindingIn(tx, chain);
  return isFault(binding) ? binding : { kind: 'share', fingerprint, chain, binding };
}

/** Evaluates the nine gates over a prepared call, in the transaction's state. */
export function judgeInTx(tx: View, call: JudgedCall, credential: Credential): Judgement {
  const slug = documentSlug(call);
  return judgeCall(
    call,
    credential,
    slug !== undefined && tx.row(slugTable, slugPath(call.tenant, slug)) !== undefined,
  );
}

/** The slug of the article that a document creates or appends to. */
export function documentSlug({ args }: JudgedCall): string | undefined {
  return isFault(args) || args['document'] === undefined ? undefined : slugOf(args);
}

/** Evaluates the nine gates with the given credential. `appends`: the document's article exists. */
export function judgeCall(
  call: JudgedCall,
  credential: Credential = call.credential,
  appends = false,
): Judgement {
  const { row, tenant, args, body, now, bodyBytesMax, approved } = call;
  const slug = isFault(args) ? (slugOfInvalidBody(call) ?? assignedSlug(credential)) : slugOf(args);
  const document = isFault(args) ? undefined : (args['document'] as JsonObject | undefined);
  return judge({ row, credential, tenant, slug, document, appends, body, now, bodyBytesMax, approved });
}

/**
 * The article named by a body that is otherwise invalid, at its beginning or as a JSON member: a caller that may
 * write to it learns what is invalid. The call never runs.
 */
function slugOfInvalidBody({ row, body }: JudgedCall): string | undefined {
  if (body.trimStart().startsWith('{')) {
    const named = parseJson(body);
    return isFault(named) ? undefined : slugOf(named.value as JsonObject);
  }
  return row.argNames[0] === 'slug' ? slugOf({ slug: body.split('|', 1)[0]?.trim() ?? null }) : undefined;
}

/** The article of the assigned work, which such calls leave out. */
function assignedSlug(credential: Credential): string | undefined {
  return credential.kind === 'share' ? credential.binding?.assignment.item.article : undefined;
}

/**
 * The article that a call writes to, of a part (`slug/c2`) that which it is part of. In document mode that is the
 * document's own slug: a share bound to one article must not reach another.
 */
export function slugOf(args: JsonObject | Fault): string | undefined {
  if (isFault(args)) return undefined;
  const document = args['document'] as JsonObject | undefined;
  const slug = document === undefined ? args['slug'] : document?.['slug'];
  // What a thread update is about is called its target (spec §4.4).
  const named = typeof slug === 'string' ? slug : args['target'];
  return typeof named === 'string' ? splitAddress(named).slug : undefined;
}

/**
 * Whether the gates would let a call of the row about this article through now, or keep it for the owner. Pages show
 * what is permitted by it; the call itself is judged again in its transaction.
 */
export function mayCall(
  { rows }: { readonly rows: ReadonlyMap<string, Row> },
  caller: { readonly credential: Credential; readonly tenant: string; readonly now: string },
  key: string,
  slug?: string,
): boolean {
  const row = rows.get(key);
  if (row === undefined) return false;
  return judge({ ...caller, row, slug, body: '', bodyBytesMax: 0 }).refused === undefined;
}
