/**
 * The refusal of an atomic batch (contract §2, §5): the faults of all its operations, each with its index. Operations
 * are judged as if those before them had run. A fault that may only be due to a refused earlier operation is not
 * reported; its operation is listed as unjudged, with what it depends on.
 */
import { refusalBody } from '../../domain/capabilities/invocation.ts';
import type { Violation } from '../../domain/violations.ts';
import type { Fault, FaultCode } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';

export interface RefusedOperation {
  readonly i: number;
  readonly op: string;
  /** Its arguments as far as they could be parsed; empty if it is not an operation. */
  readonly args: JsonObject;
  readonly refusal: Fault;
}

/** One refusal for all, in the order in which they were sent; code and status are the first one's. */
export function atomicRefusal(refused: readonly RefusedOperation[], count: number): Fault {
  const unjudged: JsonObject[] = [];
  const reported: RefusedOperation[] = [];
  for (const [at, each] of refused.entries()) {
    const waitsFor = refused.slice(0, at).filter((earlier) => mayHaveCaused(earlier, each));
    const judged = waitsFor.length === 0 ? each : independentPart(each);
    if (judged !== undefined) reported.push(judged);
    else unjudged.push(unjudgedJson(each, waitsFor));
  }
  const [first] = reported as [RefusedOperation];
  const { violations: _own, problems: _short, ...details } = first.refusal.details ?? {};
  const violations = reported.flatMap(placedViolations);
  return {
    ...first.refusal,
    message: messageOf(reported, unjudged.length, count),
    fix:
      reported.length === 1
        ? first.refusal.fix
        : 'Mend each of operations as it says there, and send the whole batch again.',
    details: {
      ...details,
      landed: 0,
      of: count,
      operation: { i: first.i, op: first.op },
      operations: reported.map(operationJson),
      ...(violations.length === 0 ? {} : { violations }),
      ...(first.refusal.fault === 'body_mismatch' ? { problems: reported.map(summarizeOperation) } : {}),
      ...(unjudged.length === 0 ? {} : { unjudged }),
    },
  };
}

/** State that a fault depends on beside the arguments; other faults hold whatever came before. */
const dependsOn: Readonly<Partial<Record<FaultCode, readonly Aspect[]>>> = {
  hash_stale: ['div', 'text'],
  order_stale: ['order'],
  thread_moved: ['thread'],
  boundary_moved: ['text'],
  conflict: ['div'],
  not_found: ['claims', 'thread'],
};

/** The same for the violations of a refusal. */
const violationDependsOn: Readonly<Record<string, readonly Aspect[]>> = {
  dangling_source: ['sources'],
  unknown_claim: ['claims'],
};

/** The same for stale reads beside violations, by argument. */
const readDependsOn: Readonly<Record<string, readonly Aspect[]>> = {
  expected_hash: ['div'],
  expected_hashes: ['div'],
  expected_order: ['order'],
  content_hash: ['text'],
  expected_thread_head: ['thread'],
};

type Aspect = 'div' | 'text' | 'order' | 'claims' | 'sources' | 'thread';

/** What an operation would have changed. An invalid operation could have changed anything. */
const changes: Readonly<Record<string, readonly Aspect[]>> = {
  edit: ['div', 'text'],
  move: ['order', 'text'],
  consolidate: ['div', 'order', 'text'],
  claim: ['claims'],
  source: ['sources'],
  challenge: ['thread'],
  support: ['thread'],
  attest: ['thread'],
  vote: ['thread'],
};
const anything: readonly Aspect[] = ['div', 'text', 'order', 'claims', 'sources', 'thread'];

/** Operations whose expected hash is that of the whole body; those of others are of the DIVs that they name. */
const readsWhole = new Set(['attest']);

function mayHaveCaused(earlier: RefusedOperation, later: RefusedOperation): boolean {
  const { slug } = earlier.args;
  if (typeof slug === 'string' && slug !== later.args['slug']) return false;
  // An id that is missing for both was not made by the earlier one.
  if (later.refusal.fault === 'not_found' && earlier.refusal.message === later.refusal.message) return false;
  const changed = Object.hasOwn(changes, earlier.op) ? (changes[earlier.op] ?? anything) : anything;
  return aspectsOf(later).some(
    (aspect) => changed.includes(aspect) && (aspect !== 'div' || shareADiv(earlier, later)),
  );
}

function aspectsOf({ op, refusal }: RefusedOperation): readonly Aspect[] {
  const { fault } = refusal;
  if (fault === 'hash_stale') return [readsWhole.has(op) ? 'text' : 'div'];
  const violations = violationsIn(refusal);
  const reads = violations.length === 0 ? [] : staleIn(refusal);
  return [
    ...(dependsOn[fault] ?? []),
    ...violations.flatMap(({ code }) => violationDependsOn[code] ?? []),
    ...reads.flatMap(({ at }) => readDependsOn[String(at).split('/')[1] ?? ''] ?? []),
  ];
}

function violationsIn({ details }: Fault): readonly Violation[] {
  return (details?.['violations'] ?? []) as readonly Violation[];
}

function staleIn({ details }: Fault): readonly JsonObject[] {
  return (details?.['stale'] ?? []) as readonly JsonObject[];
}

function shareADiv(earlier: RefusedOperation, later: RefusedOperation): boolean {
  const [before, after] = [divsOf(earlier.args), divsOf(later.args)];
  return before.length === 0 || before.some((id) => after.includes(id));
}

function divsOf({ div_id: one, div_ids: several, target_div: target }: JsonObject): readonly JsonValue[] {
  return [one, target, ...(Array.isArray(several) ? (several as readonly JsonValue[]) : [])].filter(
    (id) => typeof id === 'string' && /^d\d{1,7}$/.test(id),
  ) as JsonValue[];
}

/** The part of a refusal that holds whatever earlier operations had made; undefined if none of it does. */
function independentPart(each: RefusedOperation): RefusedOperation | undefined {
  const { refusal } = each;
  if (dependsOn[refusal.fault] !== undefined) return undefined;
  const left = violationsIn(refusal).filter(({ code }) => violationDependsOn[code] === undefined);
  const [first] = left;
  if (first === undefined) return undefined;
  const message = left.map((violation) => violation.message).join(' ');
  const fix = left.length === 1 ? first.fix : fixEach;
  const { stale: _stale, ...details } = refusal.details ?? {};
  return { ...each, refusal: { ...refusal, message, fix, details: { ...details, violations: left } } };
}

function unjudgedJson({ i, op }: RefusedOperation, waitsFor: readonly RefusedOperation[]): JsonObject {
  const named = waitsFor.map((earlier) => earlier.i);
  return {
    i,
    op,
    waits_for: named,
    message: `What operation ${i} would meet hangs on operation${named.length === 1 ? '' : 's'} ${named.join(', ')}: it is judged once they hold.`,
  };
}

function placedViolations({ i, refusal }: RefusedOperation): JsonObject[] {
  return violationsIn(refusal).map((each) => ({ ...each, at: `/operations/${i}${each.at}`, operation: i }));
}

const fixEach = 'Mend each of its violations as that says.';

/** Violations are listed with those of the batch; the row's schema is in the directory. */
function operationJson({ i, op, refusal }: RefusedOperation): JsonObject {
  const { violations: _v, problems: _p, inputs: _i, example: _e, ...details } = refusal.details ?? {};
  const fix = refusal.fault === 'body_mismatch' ? fixEach : refusal.fix;
  return { i, op, ...refusalBody({ ...refusal, fix, details }) };
}

/** The message quotes the first faults; `operations` lists all. */
const inSentenceMax = 10;

function messageOf(reported: readonly RefusedOperation[], unjudged: number, count: number): string {
  const [first] = reported as [RefusedOperation];
  const waiting =
    unjudged === 0
      ? ''
      : ` ${unjudged} more cannot be judged before ${reported.length === 1 ? 'it' : 'they'} hold.`;
  if (reported.length === 1)
    return `Operation ${first.i} (${first.op}) was refused, so none landed: ${first.refusal.message}${waiting}`;
  const listed = reported
    .slice(0, inSentenceMax)
    .map(({ i, op, refusal }) => `${i} (${op}): ${refusal.message}`);
  const more = reported.length > inSentenceMax ? ` And ${reported.length - inSentenceMax} more.` : '';
  return `${reported.length} of ${count} operations were refused, so none landed. ${listed.join(' ')}${more}${waiting}`;
}

function summarizeOperation({ i, op, refusal }: RefusedOperation): string {
  return `operation ${i} (${op}): ${refusal.message.replace(/\.$/, '')}`;
}
