/**
 * The one way in (contract §3). Every door hands a `Call` to `dispatch`: the row is found, what was presented
 * is authenticated, secrets are taken out of the body, arguments are parsed, reads are answered, and one act
 * judges, decides, records and commits. Nothing is answered before the commit is on disk.
 */
import { createHash } from 'node:crypto';
import { argumentsOf, mismatch } from '../../domain/capabilities/arguments.ts';
import { chargedBy, judge } from '../../domain/capabilities/gates.ts';
import type { Again, BatchOperation, Row } from '../../domain/capabilities/row.ts';
import { conformanceTable } from '../../domain/capabilities/conformance.ts';
import { idempotencyTable, openInvocationTable } from '../../domain/capabilities/tables.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import { certifiedPlace, certifiedTable } from '../../domain/certificates/certify.ts';
import { actorOf, type Credential } from '../../domain/capabilities/credential.ts';
import type { Result } from '../../domain/context.ts';
import { targetArticle, targetId, type QueueInput } from '../../domain/landscape/queue.ts';
import { cohortPlace } from '../../domain/landscape/tables.ts';
import { everyWorkspace } from '../../domain/workspaces/tables.ts';
import { contributionDigest, contributionOnceTable } from '../../domain/mirror/contribute.ts';
import { chainAggregate, reads, writes, type Act, type Key } from '../../engine/act.ts';
import { redactionMarker, scrubJson, scrubText, type PlacedFind } from '../../guard/secrets.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { badText, canonicalJson, type JsonObject } from '../../kernel/json.ts';
import { fingerprintOf } from '../../domain/capabilities/share-codec.ts';
import { withRows } from './current-rows.ts';
import { answerOf, type Answer } from './answer.ts';
import { askModel } from './ask-model.ts';
import { againResult, callAgain, repairProposal } from './again.ts';
import { authenticate, authenticateReader } from '../credentials/authenticate.ts';
import { judgeCall, slugOf } from '../credentials/authority.ts';
import type { Call, Performed, PlacedCall, PreparedCall } from './call.ts';
import { divideBefore, keysOfDocument } from './divide-document.ts';
import { aboutAssignment, keysOfWork } from './assignment-work.ts';
import { invocationId, newDraw } from './draw.ts';
import { findCohorts, holderOf } from './landscape.ts';
import { beforeGrowth } from './paper.ts';
import { perform } from './perform.ts';
import { runEffect } from './effects.ts';
import { findContribution } from '../reads/mirror-feed.ts';
import { nameOfTenant } from '../reads/workspaces.ts';
import { tenantOfCall } from './tenant-of-call.ts';
import { ask } from './questions.ts';
import { repeatedAnswer } from '../reads/receipts.ts';
import { fireApproved, reopen } from './reopen.ts';
import type { Service } from '../service.ts';
import { findStored, scrubStored } from './scrub.ts';
import { ownTokens } from './leaked.ts';
import { askTags } from './thread-update.ts';
import { unknownKey } from './unknown-key.ts';

/** A GET fires once for ever; an idempotency key is kept for a day. */
const getLifeMs = Number.POSITIVE_INFINITY;
const idempotencyLifeMs = 24 * 3600 * 1000;
/** A further call has the time that the slowest row has. */
const furtherCallMs = 300_000;

/** A large ledger is read, rewritten and compacted; whoever waits for it is told that it runs. */
const scrubMs = 6 * 3600_000;
const scrubAnswerMs = 30_000;

/** Rows whose bodies are whole texts. */
const largeRows: ReadonlySet<string> = new Set(['VOXEL_BATCH', 'ARTICLE_IMPORT']);

export async function dispatch(deployed: Service, given: Call): Promise<Answer | Fault> {
  const credential = await authenticate(deployed, given.presented);
  const tenant = isFault(credential) ? mainTenant : await tenantOfCall(deployed, given, credential);
  if (isFault(tenant)) return tenant;
  const call = { ...given, tenant };
  const service = await withRows(deployed, tenant);
  const row = service.rows.get(call.key);
  if (row === undefined) return unknownKey(service, call);
  if (isFault(credential)) return { gate: 'credential', ...credential };
  if (call.method === 'GET' && !row.safe && credential.kind === 'anonymous' && row.auth === 'none') {
    return fault(
      'credential_required',
      `Without a credential a GET runs reads only; ${row.key} writes.`,
      'Add share=<TOKEN>, or send the call as a POST.',
    );
  }
  if (credential.kind === 'anonymous' && row.auth !== 'none' && call.shape !== true)
    return refusedUnread(row, call, credential);
  if (call.method === 'GET' && row.confidential !== undefined)
    return fault(
      'method_not_allowed',
      `${row.key} is told a secret, and addresses are kept by everybody whom they pass.`,
      'Send it as a POST.',
    );
  const workspace = await nameOfTenant(service, tenant);
  const prepared = await aboutAssignment(service, prepare(service, row, call, credential, workspace));
  if (call.shape === true) return { kind: 'shape', shape: await dryRun(service, prepared) };
  const plan = prepared.plan;
  if (!isFault(plan) && plan.do === 'effect')
    return runEffect(service, prepared, plan, await keysOf(service, prepared));
  if (!isFault(plan) && plan.do === 'call-again') {
    const run = () => furtherCall(service, call, prepared, plan.again);
    return runEffect(
      service,
      prepared,
      { do: 'effect', timeoutMs: furtherCallMs, run },
      await keysOf(service, prepared),
    );
  }
  const { model } = service.outside;
  if (!isFault(plan) && plan.do === 'inquire' && plan.asks !== undefined && model !== undefined)
    return runEffect(
      service,
      prepared,
      askModel(service, prepared, plan, plan.asks, model),
      await keysOf(service, prepared),
    );
  if (!isFault(plan) && plan.do === 'scrub') {
    const scrubbing = { inv: prepared.inv, tenant, actor: actorOf(credential) };
    const run = (signal: AbortSignal) => scrubStored(service, scrubbing, plan.input, signal);
    return runEffect(
      service,
      prepared,
      { do: 'effect', timeoutMs: scrubMs, answerWithinMs: scrubAnswerMs, run },
      await keysOf(service, prepared),
    );
  }
  if (!isFault(plan) && plan.do === 'decide-proposal') return decide(service, prepared, plan.inv);
  const answered = await answerBefore(service, prepared);
  const asked = await askBefore(service, prepared);
  const growth = await countBefore(service, prepared);
  return settle(service, {
    ...prepared,
    answered,
    asked,
    growth,
    cohorts: await cohortsBefore(service, prepared),
    document: await divideBefore(service, prepared),
    contribution: await contributionBefore(service, prepared),
  });
}

/** `POST {replay}` and `{repairs}`: the call itself, linked to the receipt that it was made from. */
export async function dispatchAgain(deployed: Service, call: Call, again: Again): Promise<Answer | Fault> {
  const credential = await authenticateReader(deployed, call.presented);
  if (isFault(credential)) return credential;
  const meant = await callAgain(deployed, credential, again, call);
  if (isFault(meant)) return meant;
  const row = (await withRows(deployed, meant.tenant)).rows.get(meant.key);
  if (meant.repairs !== undefined && row?.risk === 'high' && credential.kind !== 'owner') {
    return {
      ...fault(
        'owner_gate_required',
        `${meant.key} is a high-risk row: the owner fires its repair.`,
        'Hand the proposal to the owner.',
        { proposal: { key: meant.key, body: meant.body, repairs: meant.repairs } },
      ),
      gate: 'owner_gate',
    };
  }
  return dispatch(deployed, meant);
}

/** OIP_REPLAY and OIP_REPAIR: another call, under the caller's authority, with a receipt of its own. */
async function furtherCall(
  service: Service,
  call: Call,
  { inv, credential, leaked }: PreparedCall,
  again: Again,
): Promise<Result | Fault> {
  const meant = await callAgain(service, credential, again, {
    ...call,
    method: 'POST',
    idempotencyKey: undefined,
    root: inv,
    leaked,
  });
  if (isFault(meant)) return meant;
  const row = (await withRows(service, meant.tenant)).rows.get(meant.key);
  if (row?.delegates === true)
    return fault('conflict', `${meant.key} makes a further call itself.`, 'Name the call that it made.');
  if (meant.repairs !== undefined && row?.risk === 'high') return repairProposal(service, meant);
  return againResult(service, again, await dispatch(service, meant));
}

/** The owner's decision: one act for both receipts; what reaches outside fires when that act is on disk. */
async function decide(service: Service, call: PreparedCall, inv: string): Promise<Answer | Fault> {
  const waiting = await reopen(service, call, inv);
  const reopened = waiting === undefined ? undefined : await aboutAssignment(service, waiting);
  const proposal =
    reopened === undefined
      ? undefined
      : {
          ...reopened,
          asked: await askBefore(service, reopened),
          growth: await countBefore(service, reopened),
          cohorts: await cohortsBefore(service, reopened),
          document: await divideBefore(service, reopened),
        };
  const prepared = { ...call, proposal };
  return fireApproved(service, prepared, await settle(service, prepared));
}

/** Nobody's call of a row that needs somebody: nothing of its body is read, scrubbed or divided first. */
function refusedUnread(row: Row, call: PlacedCall, credential: Credential): Fault {
  const { refused } = judge({
    row,
    credential,
    tenant: call.tenant,
    slug: undefined,
    body: call.body,
    now: '',
    bodyBytesMax: 0,
  });
  if (refused === undefined) throw new Error(`${row.key} let a caller without a credential in`);
  return refused;
}

/** Runs the act of a prepared call and answers it. */
async function settle(service: Service, prepared: PreparedCall): Promise<Answer | Fault> {
  const act: Act<Performed> = {
    name: prepared.row.key,
    keys: await keysOf(service, prepared),
    decide(tx) {
      prepared.draw.restart();
      return perform(service, tx, prepared);
    },
  };
  const committed = await service.store.run(act);
  if (isFault(committed)) return committed;
  const performed = committed.answer;
  if (performed.uncounted !== undefined) service.denials.count(performed.uncounted);
  if (performed.repeats !== undefined) return repeatedAnswer(service, performed.repeats);
  return answerOf(service, prepared, performed, committed);
}

// Preparing

function prepare(
  service: Service,
  row: Row,
  call: PlacedCall,
  credential: Credential,
  workspace: string,
): PreparedCall {
  const nowMs = service.now();
  const draw = newDraw();
  const { args, recorded, finds, leaked } =
    row.confidential === undefined ? scrubbed(row, call.body) : confided(row, call.body, row.confidential);
  const plan = isFault(args) ? args : row.plan(args);
  return {
    row,
    body: call.body,
    recorded,
    finds,
    leaked: isPublished(row) ? [...(leaked ?? []), ...(call.leaked ?? [])] : undefined,
    args,
    plan: (isFault(plan) || plan.do !== 'effect' ? undefined : plan.check?.(service.outside)) ?? plan,
    credential,
    tenant: call.tenant,
    workspace,
    inv: invocationId(nowMs),
    root: call.root,
    replayOf: call.replayOf,
    repairs: call.repairs,
    nowMs,
    now: new Date(nowMs).toISOString(),
    startedMs: nowMs,
    actorName: said(call.actorName) ?? nameIn(args),
    purpose: said(call.purpose) ?? null,
    channel: call.channel,
    bodyBytesMax: largeRows.has(row.key) ? service.limits.batchBytesMax : service.limits.dispatchBytesMax,
    idempotency: idempotencyOf(service, row, call, credential),
    answered: undefined,
    document: undefined,
    draw,
  };
}

function nameIn(args: JsonObject | Fault): string | null {
  const name = isFault(args) ? undefined : args['actor'];
  return typeof name === 'string' && name !== '' ? name : null;
}

/** What a caller says of itself beside the body is recorded too, so it is scrubbed as the body is. */
function said(words: string | undefined): string | undefined {
  return words === undefined ? undefined : scrubText(words, fingerprintOf).value;
}

interface ScrubbedBody {
  readonly args: JsonObject | Fault;
  readonly recorded: string;
  readonly finds: readonly PlacedFind[];
  readonly leaked?: readonly string[];
}

/** A token belongs into a call about tokens; anywhere else it was written down where others read it. */
function isPublished(row: Row): boolean {
  return !row.safe && row.category !== 'capability';
}

/** What is told in confidence is used as it came, and recorded as the marker; a body that does not fit, whole. */
function confided(row: Row, body: string, names: readonly string[]): ScrubbedBody {
  const args = argumentsOf(row, body);
  if (isFault(args))
    return { args: mismatch(row, ['it has other arguments']), recorded: redactionMarker, finds: [] };
  return { args, recorded: canonicalJson(withoutConfided(args, names)), finds: [] };
}

function withoutConfided(args: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, names.includes(name) ? redactionMarker : value]),
  );
}

/** Secrets leave before anything is decided or stored; what escapes hide in a JSON body is found after parsing. */
function scrubbed(row: Row, body: string): ScrubbedBody {
  const own = ownTokens();
  const text = scrubText(body, own.fingerprintOf);
  const args = argumentsOf(row, text.value);
  if (isFault(args)) return scrubbedMisfit(row, args, text);
  const deep = scrubJson(args, own.fingerprintOf);
  const leaked = own.found();
  if (deep.finds.length === 0) return { args, recorded: text.value, finds: text.finds, leaked };
  return {
    leaked,
    args: deep.value as JsonObject,
    recorded: canonicalJson(deep.value),
    finds: [...text.finds, ...deep.finds],
  };
}

/** A body that does not fit is recorded as it came; where its escapes hide a secret, as they read. */
function scrubbedMisfit(
  row: Row,
  misfit: Fault,
  text: { readonly value: string; readonly finds: readonly PlacedFind[] },
): ScrubbedBody {
  const plain = scrubText(unescaped(text.value), fingerprintOf);
  if (plain.finds.length === 0) return { args: misfit, recorded: text.value, finds: text.finds };
  // What was wrong with it may quote what was just taken out.
  return {
    args: mismatch(row, ['it has other arguments, and it holds a secret']),
    recorded: plain.value,
    finds: [...text.finds, ...plain.finds],
  };
}

/** JSON's escapes of single characters, wherever they stand. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  const opened = text.replace(
    /\\(?:u([0-9a-fA-F]{4})|([/"\\]))/g,
    (_all, hex: string | undefined, plain: string | undefined) =>
      hex === undefined ? (plain as string) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return badText(opened) === undefined ? opened : opened.replaceAll('\0', '').toWellFormed();
}

function idempotencyOf(
  service: Service,
  row: Row,
  call: PlacedCall,
  credential: Credential,
): PreparedCall['idempotency'] {
  const repeatable = call.method === 'GET' ? !row.safe : call.idempotencyKey !== undefined;
  if (!repeatable) return undefined;
  const who =
    credential.kind === 'share'
      ? credential.fingerprint
      : credential.kind === 'owner'
        ? 'owner'
        : service.secrets.clientScope(call.client);
  const plain = digest(call.key, call.body);
  // The digest stands in a public entry: of what was told in confidence it must be one that nobody can guess at.
  const request = row.confidential === undefined ? plain : service.secrets.clientScope(plain);
  if (call.method === 'GET')
    return {
      scope: digest('get', call.tenant, who, call.key, call.body, call.n ?? ''),
      request,
      lifeMs: getLifeMs,
    };
  return {
    scope: digest('post', call.tenant, who, call.idempotencyKey ?? ''),
    request: call.firstForEver === true ? digest('first') : request,
    lifeMs: call.firstForEver === true ? getLifeMs : idempotencyLifeMs,
  };
}

function digest(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 32);
}

/** Everything the act is known to touch. What is missing here is loaded when the decision meets it. */
async function keysOf(service: Service, call: PreparedCall): Promise<Key[]> {
  const keys: Key[] = [];
  if (call.credential.kind === 'share') {
    const charged = new Set(
      call.row.selfLimiting ? [] : chargedBy(call.credential).map((link) => link.record.fingerprint),
    );
    for (const { record } of call.credential.chain) {
      keys.push(
        charged.has(record.fingerprint) || call.credential.unused !== undefined
          ? writes('capability', record.fingerprint)
          : reads('capability', record.fingerprint),
      );
    }
  }
  if (call.idempotency !== undefined) keys.push(writes(idempotencyTable.name, call.idempotency.scope));
  if (call.row.standing !== undefined) keys.push(reads('directory', call.tenant));
  if (call.repairs !== undefined) keys.push(writes(chainAggregate, call.repairs));
  if (call.proposal !== undefined) keys.push(...(await keysOf(service, call.proposal)));
  const plan = call.plan;
  if (isFault(plan)) return keys;
  if (call.document !== undefined) keys.push(...(await keysOfDocument(service, call.tenant, call.document)));
  if (plan.do === 'grow-paper') keys.push(writes('paper', call.tenant));
  if (call.assignment !== undefined) keys.push(...keysOfWork(call.assignment));
  if (plan.do === 'certify')
    keys.push(writes(certifiedTable.name, certifiedPlace(call.tenant, plan.input.target)));
  if (plan.do === 'queue-targets') keys.push(...keysOfQueue(call, plan.input));
  if (plan.do === 'lease-item')
    keys.push(
      writes('assignment_held', holderOf(call.credential)),
      ...(call.cohorts?.places.slice(0, 1) ?? []).map((place) => writes('cohort', place)),
    );
  if (plan.do === 'write-row') keys.push(writes('directory', call.tenant));
  if (plan.do === 'write-workspace') keys.push(writes('workspace', everyWorkspace));
  if (plan.do === 'decide-proposal') keys.push(writes(openInvocationTable.name, plan.inv));
  if (plan.do === 'batch') keys.push(...(await keysOfOperations(service, call.tenant, plan.operations)));
  if (plan.do === 'decide-vote') keys.push(reads('vote_index', plan.voteId));
  if (plan.do === 'ask') keys.push(...(await keysOfRead(service, call)));
  if (
    plan.do === 'write-article' ||
    plan.do === 'contribute' ||
    plan.do === 'resolve-contribution' ||
    plan.do === 'rotate-webhook' ||
    plan.do === 'say' ||
    plan.do === 'thread-update' ||
    plan.do === 'inquire'
  ) {
    const slug = 'input' in plan ? plan.input.slug : plan.slug;
    const path = slugPath(call.tenant, slug);
    keys.push(reads('slug', path));
    const found = await service.store.read.row(slugTable, path);
    if (found === undefined) return keys;
    keys.push(writes(conformanceTable.name, found.aid));
    if (plan.do === 'write-article') keys.push(writes('article', found.aid));
    else if (plan.do === 'rotate-webhook')
      keys.push(writes('article', found.aid), writes('webhook', found.aid));
    else if (plan.do === 'resolve-contribution')
      keys.push(
        writes('article', found.aid),
        writes('resolution', found.aid),
        writes('questions', found.aid),
      );
    else if (plan.do === 'say' || plan.do === 'thread-update')
      keys.push(reads('article', found.aid), writes('thread', found.aid));
    else if (plan.do === 'inquire') keys.push(reads('article', found.aid), writes('questions', found.aid));
    else {
      keys.push(reads('article', found.aid), writes('mirror', found.aid));
      keys.push(writes(contributionOnceTable.name, contributionDigest(found.aid, plan.input)));
    }
  }
  return keys;
}

/** A read of an article changes what is known of its conformance. */
async function keysOfRead(service: Service, call: PreparedCall): Promise<Key[]> {
  const slug = slugOf(call.args);
  if (slug === undefined) return [];
  const path = slugPath(call.tenant, slug);
  const found = await service.store.read.row(slugTable, path);
  return [reads('slug', path), ...(found === undefined ? [] : [writes(conformanceTable.name, found.aid)])];
}

/** The cohort, and the slugs that only an owner may queue although they are taken. */
function keysOfQueue(
  { tenant, workspace, credential }: PreparedCall,
  { cohort, targets }: QueueInput,
): Key[] {
  const keys = [writes('cohort', cohortPlace(tenant, cohort)), writes('landscape', tenant)];
  if (credential.kind === 'owner') return keys;
  const slugs = new Set(targets.map((target) => targetArticle(workspace, cohort, targetId(target))));
  return [...keys, ...[...slugs].map((slug) => reads('slug', slugPath(tenant, slug)))];
}

/** The articles and threads that a batch's operations name, each once. */
async function keysOfOperations(
  service: Service,
  tenant: string,
  operations: readonly (BatchOperation | Fault)[],
): Promise<Key[]> {
  const keys: Key[] = [];
  const known = new Map<string, string>();
  for (const operation of operations) {
    const slug = isFault(operation) ? undefined : operation.args['slug'];
    if (isFault(operation) || typeof slug !== 'string') continue;
    if (!known.has(slug)) {
      const path = slugPath(tenant, slug);
      known.set(slug, (await service.store.read.row(slugTable, path))?.aid ?? '');
      keys.push(reads('slug', path));
    }
    const aid = known.get(slug) ?? '';
    if (aid === '') continue;
    const isSaid =
      operation.key === 'VOXEL_CHALLENGE' ||
      operation.key === 'VOXEL_ATTEST' ||
      operation.key === 'VOXEL_VOTE';
    keys.push(
      writes(conformanceTable.name, aid),
      isSaid ? reads('article', aid) : writes('article', aid),
      ...(isSaid ? [writes('thread', aid)] : []),
    );
  }
  return keys;
}

// Before the act

/** Reads are answered first, and only for a call that the gates let through as they stand now. */
async function answerBefore(service: Service, call: PreparedCall): Promise<Result | Fault | undefined> {
  const plan = call.plan;
  if (isFault(plan) || plan.do !== 'ask') return undefined;
  const judgement = judgeCall(call);
  return judgement.refused ?? ask(service, plan.question, call);
}

/** The reads that a thread update's tags ask. */
async function askBefore(service: Service, call: PreparedCall): Promise<PreparedCall['asked']> {
  if (isFault(call.plan) || call.plan.do !== 'thread-update') return undefined;
  return judgeCall(call).refused === undefined ? askTags(service, call.plan, call) : undefined;
}

/** What the paper would tell of the ledger, counted only for a call that may grow it. */
async function countBefore(service: Service, call: PreparedCall): Promise<PreparedCall['growth']> {
  if (isFault(call.plan) || call.plan.do !== 'grow-paper' || judgeCall(call).refused !== undefined)
    return undefined;
  return beforeGrowth(service, call.tenant);
}

/** Where a lease may come from, looked up only for a call that may take one. */
async function cohortsBefore(service: Service, call: PreparedCall): Promise<PreparedCall['cohorts']> {
  if (isFault(call.plan) || call.plan.do !== 'lease-item' || judgeCall(call).refused !== undefined)
    return undefined;
  return findCohorts(service, call, call.plan);
}

async function contributionBefore(
  service: Service,
  call: PreparedCall,
): Promise<PreparedCall['contribution']> {
  if (isFault(call.plan) || call.plan.do !== 'resolve-contribution') return undefined;
  if (judgeCall(call).refused !== undefined) return undefined;
  const { slug, contribution_id: id } = call.plan.input;
  return findContribution(service, call.tenant, slug, id);
}

async function dryRun(service: Service, call: PreparedCall): Promise<JsonObject> {
  const judgement = judgeCall(call);
  const { plan } = call;
  const scrub =
    !isFault(plan) && plan.do === 'scrub' && judgement.refused === undefined && !judgement.gated
      ? await findStored(service, call.tenant, plan.input)
      : undefined;
  return {
    key: call.row.key,
    gates: judgement.trace,
    would_run:
      judgement.refused === undefined && !judgement.gated && !isFault(call.args) && !isFault(call.plan),
    arguments: isFault(call.args) ? null : withoutConfided(call.args, call.row.confidential ?? []),
    problem: isFault(call.args)
      ? call.args.message
      : isFault(call.plan)
        ? call.plan.message
        : (judgement.refused?.message ?? (isFault(scrub) ? scrub.message : null)),
    charged: false,
    ...(scrub === undefined || isFault(scrub) ? {} : { would_scrub: scrub }),
  };
}
