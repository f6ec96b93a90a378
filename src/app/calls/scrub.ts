/**
 * SECRET_SCRUB (contract §3, §5 "Secrets"): the whole ledger, or what belongs to one article, is searched for a secret
 * and scrubbed, thing by thing, while others go on writing; then what lies beside the ledger, and at last the
 * bytes that a database leaves behind. Run again, it finds what an interrupted one left.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { articlePrefix } from '../../domain/articles/chains.ts';
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import type { ScrubInput } from '../../domain/capabilities/row.ts';
import { fingerprintOf } from '../../domain/capabilities/share-codec.ts';
import type { Result } from '../../domain/context.ts';
import {
  chainAggregate,
  chainsAggregate,
  textOf,
  writes,
  type Key,
  type StoredEvent,
} from '../../engine/act.ts';
import { literalSecret, unfitSecret, type Redactor } from '../../guard/literal-secret.ts';
import { ruleSecrets } from '../../guard/rule-secrets.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { opaqueId } from '../../kernel/ids.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { Service } from '../service.ts';
import { chainsOf, placesIn, scrubChains, type ScrubPlace } from './scrub-chains.ts';

/** Whose call it is. */
export interface Scrubbing {
  readonly inv: string;
  readonly tenant: string;
  readonly actor: string;
}

const pageEntries = 500;
/** Invocations that one act scrubs: each holds little, and a commit costs the same for one. */
const chainsPerAct = 32;
const placesShownMax = 100;
const passesMax = 20;
/** How long the log may take to take in what was committed. */
const integrationMs = 15_000;

function redactorOf({ secret }: ScrubInput): Redactor | Fault {
  if (secret === 'auto') return ruleSecrets(fingerprintOf);
  const unfit = unfitSecret(secret);
  if (unfit === undefined) return literalSecret(secret);
  return fault(
    'body_mismatch',
    `The secret cannot be scrubbed: ${unfit}.`,
    'Send the whole secret as it was written, or auto.',
  );
}

/** Where it would bite; nothing is changed. */
export async function findStored(
  service: Service,
  tenant: string,
  input: ScrubInput,
): Promise<JsonObject | Fault> {
  const within = await limitOf(service, tenant, input.slug);
  if (isFault(within)) return within;
  const redactor = redactorOf(input);
  if (isFault(redactor)) return redactor;
  const { found } = await search(service, redactor, within, 0);
  const tally = new Tally();
  for (const chains of found) tally.add(placesIn(await eventsOf(service, chains), chains, redactor));
  const beside = input.slug === undefined ? await besideLedger(service, redactor, false) : nothingBeside;
  return { scope: input.slug ?? 'everything', ...tally.json(), ...beside };
}

export async function scrubStored(
  service: Service,
  call: Scrubbing,
  input: ScrubInput,
  signal: AbortSignal,
): Promise<Result | Fault> {
  const within = await limitOf(service, call.tenant, input.slug);
  if (isFault(within)) return within;
  const redactor = redactorOf(input);
  if (isFault(redactor)) return redactor;
  const tally = new Tally();
  let from = 0;
  // The intent of this very call: whatever was committed before it is in the log once that is.
  let seen = (await service.store.read.chain(call.inv)).at(-1)?.seq;
  for (let pass = 1; ; pass++) {
    if (seen !== undefined) await integrated(service, seen, signal);
    const { found, size } = await search(service, redactor, within, from);
    if (found.size === 0) break;
    if (pass === passesMax)
      return fault(
        'conflict',
        'The secret is written again as fast as it is scrubbed.',
        'Stop whoever writes it, then scrub again.',
      );
    from = size;
    for (const chains of inActs(found)) {
      if (signal.aborted) return interrupted();
      const scrubbed = await scrubAct(service, call, chains, redactor);
      if (isFault(scrubbed)) return scrubbed;
      for (const places of scrubbed.places) tally.add(places);
      seen = scrubbed.last ?? seen;
    }
  }
  const beside = input.slug === undefined ? await besideLedger(service, redactor, true) : nothingBeside;
  await service.store.scour();
  await service.search.catchUp(integrationMs);
  const scope = input.slug ?? 'everything';
  const counts = tally.json();
  return {
    result: { scope, ...counts, ...beside },
    text: textOfScrub(counts, scope, input),
    material: [],
  };
}

function textOfScrub({ occurrences, contents }: JsonObject, scope: string, { secret }: ScrubInput): string {
  const where = scope === 'everything' ? 'the ledger' : scope;
  if (occurrences !== 0)
    return `Scrubbed ${String(occurrences)} occurrences in ${String(contents)} stored contents of ${where}.`;
  if (secret === 'auto') return `Nothing in ${where} holds a secret that the rules know.`;
  return `Nothing in ${where} holds the secret as it was sent. A body that is no JSON is the secret with all its pipes; an article is named as {"secret":…,"slug":…}.`;
}

// Searching

/** Which entries count: all, or those of one article and of the calls that were made on it. */
type Within = ((event: StoredEvent) => Promise<boolean>) | undefined;

async function limitOf(service: Service, tenant: string, slug: string | undefined): Promise<Within | Fault> {
  if (slug === undefined) return undefined;
  const row = await service.store.read.row(slugTable, slugPath(tenant, slug));
  if (row === undefined)
    return fault(
      'not_found',
      `There is no article ${slug.slice(0, 80)}.`,
      'Name an article of /api/articles, or leave the slug out.',
    );
  const prefix = articlePrefix(row.aid);
  const { read } = service.store;
  const calls = new Set<string>();
  for (const { text } of await read.chains(prefix)) {
    const { inv } = JSON.parse(text) as Entry;
    if (typeof inv === 'string') calls.add(inv);
  }
  for (const inv of Array.from(calls)) {
    const root = (await firstOf(service, inv))?.['root'];
    if (typeof root === 'string') calls.add(root);
  }
  return async ({ text }) => {
    const entry = JSON.parse(text) as Entry;
    if (entry.chain.startsWith(prefix)) return true;
    if (typeof entry['of'] === 'string') return entry['of'].startsWith(prefix) || calls.has(entry['of']);
    if (!entry.chain.startsWith('inv_')) return false;
    return calls.has(entry.chain) || (await firstOf(service, entry.chain))?.['article'] === row.aid;
  };
}

async function firstOf(service: Service, inv: string): Promise<Entry | undefined> {
  const [first] = await service.store.read.chain(inv);
  return first === undefined ? undefined : (JSON.parse(first.text) as Entry);
}

/** The chains, from an entry of the log on, whose contents hold a secret; and how far the log was read. */
async function search(
  service: Service,
  redactor: Redactor,
  within: Within,
  from: number,
): Promise<{ readonly found: ReadonlySet<string>; readonly size: number }> {
  const found = new Set<string>();
  let size = from;
  for (;;) {
    const page = await service.store.read.entries(size, pageEntries);
    for (const event of page) {
      if (!holds(event, redactor) || (within !== undefined && !(await within(event)))) continue;
      found.add(chainsOf((JSON.parse(event.text) as Entry).chain));
    }
    size += page.length;
    if (page.length < pageEntries) return { found, size };
    // Requests come first.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function holds(event: StoredEvent, redactor: Redactor): boolean {
  return event.contents.some((content) => {
    const text = textOf(content);
    return (
      text !== null &&
      redactor.suspects(text) &&
      placesIn([{ ...event, contents: [content] }], '', redactor).length > 0
    );
  });
}

function eventsOf(service: Service, chains: string): Promise<readonly StoredEvent[]> {
  return chains.endsWith('.') ? service.store.read.chains(chains) : service.store.read.chain(chains);
}

// Scrubbing

/** An article by itself, everything else by the dozen. */
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

/** Whoever appends to an article's chains holds one of these. */
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

const nothingBeside: JsonObject = { blobs: 0, held: 0 };

/** Large results are named by their hash and cannot be redacted: they go whole. So do records that expire anyway. */
async function besideLedger(service: Service, redactor: Redactor, remove: boolean): Promise<JsonObject> {
  const { blobs, held } = service.store;
  const gone: string[] = [];
  for await (const sha256 of blobs.names()) {
    const bytes = await blobs.get(sha256);
    if (bytes === undefined || !redactor.isIn(bytes)) continue;
    if (remove) await blobs.remove(sha256);
    gone.push(sha256);
  }
  let records = 0;
  for (const { name, value } of await held.all()) {
    if (!redactor.suspects(value) || redactor.redact(value).finds.length === 0) continue;
    if (remove) await held.remove(name);
    records++;
  }
  return {
    blobs: gone.length,
    held: records,
    ...(gone.length === 0 ? {} : { blobs_removed: gone.slice(0, placesShownMax) }),
  };
}

// Telling

/** What was found, counted; the first places by name. */
class Tally {
  readonly #kinds = new Map<string, number>();
  readonly #places: JsonValue[] = [];
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

  json(): JsonObject {
    return {
      contents: this.#contents,
      occurrences: this.#occurrences,
      kinds: Object.fromEntries(this.#kinds),
      places: this.#places,
      more_places: this.#contents > this.#places.length,
    };
  }
}
