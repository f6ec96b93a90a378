/**
 * The plan `scrub` (contract §3, §5 "Secrets"): searches the whole ledger, or one article, for a secret and scrubs
 * chain by chain while other calls write; then blobs, held records and free pages of the database. Many acts,
 * recorded before the first and after the last. A second run finds what an interrupted one left. Altered entries that
 * cannot be searched or replayed are skipped and named in the answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { actorOf } from '../../domain/capabilities/credential.ts';
import { fingerprintOf } from '../../domain/capabilities/share-codec.ts';
import type { Result } from '../../domain/context.ts';
import { plainWording } from '../../domain/similarity/normalise.ts';
import { chainAggregate, chainsAggregate, writes, type Key } from '../../engine/act.ts';
import { literalRedactor, ruleRedactor, type Redactor } from '../../guard/redactors.ts';
import { secretProblem } from '../../guard/secret-span.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { opaqueId } from '../../kernel/ids.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { Service } from '../service.ts';
import { definePlan } from './plan.ts';
import { findReplaceable, scrubChains, type ScrubPlace } from './scrub-chains.ts';
import { limitOf, search, eventsOf } from './scrub-search.ts';
import { exactly } from '../../model/exact.ts';
import { Scrubbed } from '../../model/directory.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    scrub: { readonly input: ScrubInput };
  }
}

/** The secret's text, or `auto` for the rules; everywhere, or in one article. */
type Beside = Pick<Scrubbed, 'blobs' | 'held' | 'blobs_removed'>;
type Counts = Pick<Scrubbed, 'contents' | 'occurrences' | 'kinds' | 'places' | 'more_places'>;

interface ScrubInput {
  readonly secret: string;
  readonly slug?: string | undefined;
}

/** The scrubbing call. */
interface Scrubbing {
  readonly inv: string;
  readonly tenant: string;
  readonly actor: string;
}

/** Searching and compacting a large ledger takes long; the caller is answered before. */
const timeoutMs = 6 * 3600_000;
const answerWithinMs = 30_000;

/** Invocations per act: each holds little, and a commit costs the same for one. */
const chainsPerAct = 32;
const placesShownMax = 100;
const passesMax = 20;
/** How long to wait for committed entries to be integrated. */
const integrationMs = 15_000;

export const scrubPlan = definePlan({
  kind: 'scrub',
  effect({ service, call, plan }) {
    const scrubbing = { inv: call.inv, tenant: call.tenant, actor: actorOf(call.credential) };
    return {
      do: 'effect',
      timeoutMs,
      answerWithinMs,
      run: (signal) => scrubStored(service, scrubbing, plan.input, signal),
    };
  },
  async dryRun({ service, call, plan }) {
    const found = await findStored(service, call.tenant, plan.input);
    return { more: isFault(found) ? found : { would_scrub: found } };
  },
});

function redactorOf({ secret }: ScrubInput): Redactor | Fault {
  if (secret === 'auto') return ruleRedactor(fingerprintOf);
  const unfit = secretProblem(secret);
  if (unfit === undefined) return literalRedactor(secret, plainWording(secret));
  return fault(
    'body_mismatch',
    `The secret cannot be scrubbed: ${unfit}.`,
    'Send the whole secret as it was written, or auto.',
  );
}

/** Lists what would be scrubbed; changes nothing. */
async function findStored(service: Service, tenant: string, input: ScrubInput): Promise<Scrubbed | Fault> {
  const within = await limitOf(service, tenant, input.slug);
  if (isFault(within)) return within;
  const redactor = redactorOf(input);
  if (isFault(redactor)) return redactor;
  const { found, altered } = await search(service, redactor, within, 0);
  const counter = new ScrubCounter();
  for (const chains of found) counter.add(findReplaceable(await eventsOf(service, chains), chains, redactor));
  const beside = input.slug === undefined ? await besideLedger(service, redactor, false) : nothingBeside;
  return { scope: input.slug ?? 'everything', ...counter.json(), ...unreadable(altered), ...beside };
}

async function scrubStored(
  service: Service,
  call: Scrubbing,
  input: ScrubInput,
  signal: AbortSignal,
): Promise<Result | Fault> {
  const within = await limitOf(service, call.tenant, input.slug);
  if (isFault(within)) return within;
  const redactor = redactorOf(input);
  if (isFault(redactor)) return redactor;
  const counter = new ScrubCounter();
  const left = new Set<string>();
  let from = 0;
  // Once this call's intent is in the log, everything committed before it is too.
  let seen = (await service.store.read.chain(call.inv)).at(-1)?.seq;
  for (let pass = 1; ; pass++) {
    if (seen !== undefined) await integrated(service, seen, signal);
    const { found, altered, size } = await search(service, redactor, within, from);
    for (const name of altered) left.add(name);
    if (found.size === 0) break;
    if (pass === passesMax)
      return fault(
        'conflict',
        'The secret is written again as fast as it is scrubbed.',
        'Revoke the credential that writes it, then scrub again.',
      );
    from = size;
    for (const chains of inActs(found)) {
      if (signal.aborted) return interrupted();
      const scrubbed = await scrubAct(service, call, chains, redactor);
      if (isFault(scrubbed)) return scrubbed;
      for (const places of scrubbed.places) counter.add(places);
      seen = scrubbed.last ?? seen;
    }
  }
  const beside = input.slug === undefined ? await besideLedger(service, redactor, true) : nothingBeside;
  await service.store.vacuum();
  await service.search.catchUp(integrationMs);
  const scope = input.slug ?? 'everything';
  const counts = counter.json();
  return {
    result: exactly(Scrubbed, { scope, ...counts, ...unreadable(left), ...beside }),
    text: [textOfScrub(counts, scope, input), ...textOfUnreadable(left)].join(' '),
    material: [],
  };
}

function textOfScrub({ occurrences, contents }: Counts, scope: string, { secret }: ScrubInput): string {
  const where = scope === 'everything' ? 'the ledger' : scope;
  if (occurrences !== 0)
    return `Scrubbed ${String(occurrences)} occurrences in ${String(contents)} stored contents of ${where}.`;
  if (secret === 'auto') return `Nothing in ${where} holds a secret that the rules know.`;
  return `Nothing in ${where} holds the secret as it was sent. A body that is no JSON is the secret with all its pipes; an article is named as {"secret":…,"slug":…}.`;
}

function unreadable(names: ReadonlySet<string>): Pick<Scrubbed, 'unreadable' | 'unreadable_names'> {
  if (names.size === 0) return { unreadable: 0 };
  return { unreadable: names.size, unreadable_names: [...names].slice(0, placesShownMax) };
}

function textOfUnreadable({ size }: ReadonlySet<string>): string[] {
  if (size === 0) return [];
  return [
    `What was altered could not be looked through and may still hold it: unreadable_names says where (${String(size)}). Run colophon verify, restore a sound backup and scrub that.`,
  ];
}

// Scrubbing

/** One act for each article, several other chains together. */
function* inActs(found: ReadonlySet<string>): Iterable<readonly string[]> {
  const small: string[] = [];
  for (const chains of found) {
    if (chains.endsWith('.')) yield [chains];
    else if (small.push(chains) === chainsPerAct) yield small.splice(0);
  }
  if (small.length > 0) yield small;
}

async function scrubAct(
  service: Service,
  call: Scrubbing,
  list: readonly string[],
  redactor: Redactor,
): Promise<
  { readonly places: readonly (readonly ScrubPlace[])[]; readonly last: number | undefined } | Fault
> {
  const ts = new Date(service.now()).toISOString();
  const ids = new Map(list.map((chains) => [chains, opaqueId('scrub_')]));
  const committed = await service.store.run({
    name: 'scrub',
    keys: list.flatMap((chains) => keysOf(chains)),
    decide: (tx) =>
      list.map((chains) =>
        scrubChains(tx, chains, redactor, {
          chain: ids.get(chains) as string,
          inv: call.inv,
          actor: call.actor,
          ts,
        }),
      ),
  });
  if (isFault(committed)) return committed;
  return { places: committed.answer, last: committed.entries.at(-1)?.seq };
}

/** Keys that acts on the article hold. */
const articleAggregates = ['article', 'mirror', 'questions', 'thread', 'webhook'];

function keysOf(chains: string): Key[] {
  if (!chains.endsWith('.')) return [writes(chainAggregate, chains)];
  const aid = chains.slice(0, -1);
  return [writes(chainsAggregate, chains), ...articleAggregates.map((aggregate) => writes(aggregate, aid))];
}

async function integrated(service: Service, seq: number, signal: AbortSignal): Promise<void> {
  const until = performance.now() + integrationMs;
  while ((await service.store.read.indexOf(seq)) === null && performance.now() < until && !signal.aborted)
    await sleep(50);
}

function interrupted(): Fault {
  return fault(
    'shutting_down',
    'The service stopped before all was scrubbed.',
    'Scrub again when it is back: it goes on with what is left.',
  );
}

// Beside the ledger

const nothingBeside: Beside = { blobs: 0, held: 0 };

/**
 * Blobs are named by their hash and cannot be redacted, so they are deleted; so are held records, which expire
 * anyway.
 */
async function besideLedger(service: Service, redactor: Redactor, remove: boolean): Promise<Beside> {
  const { blobs, ephemeral } = service.store;
  const gone: string[] = [];
  for await (const sha256 of blobs.names()) {
    const bytes = await blobs.get(sha256);
    if (bytes === undefined || !redactor.isIn(bytes)) continue;
    if (remove) await blobs.remove(sha256);
    gone.push(sha256);
  }
  let records = 0;
  for (const { name, value } of await ephemeral.all()) {
    if (!redactor.mayContain(value) || redactor.redact(value).finds.length === 0) continue;
    if (remove) await ephemeral.remove(name);
    records++;
  }
  return {
    blobs: gone.length,
    held: records,
    ...(gone.length === 0 ? {} : { blobs_removed: gone.slice(0, placesShownMax) }),
  };
}

// Telling

/** Counts of what was found, with the first places. */
class ScrubCounter {
  readonly #kinds = new Map<string, number>();
  readonly #places: Scrubbed['places'][number][] = [];
  #contents = 0;
  #occurrences = 0;

  add(places: readonly ScrubPlace[]): void {
    for (const { event, field, finds } of places) {
      this.#contents++;
      for (const { kind, count } of finds) {
        this.#occurrences += count;
        this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + count);
      }
      if (this.#places.length >= placesShownMax) continue;
      const { chain, n } = JSON.parse(event.text) as Entry;
      this.#places.push({
        chain,
        n,
        field,
        found: finds.map(({ path, kind, count }) => ({ path, kind, count })),
      });
    }
  }

  json(): Counts {
    return {
      contents: this.#contents,
      occurrences: this.#occurrences,
      kinds: Object.fromEntries(this.#kinds),
      places: this.#places,
      more_places: this.#contents > this.#places.length,
    };
  }
}
