/**
 * Objects listed beside the entry that commits to them (contract §1.4, §1.5): sources, contributions, posts, provenance. The
 * committed content is reconstructed from the listed object, so that any altered member is detected.
 */
import { concat, fromHex, hex, sha256, utf8 } from './bytes.ts';
import type { Coverage } from './coverage.ts';
import { canonical, isRecord, type Json, type JsonRecord } from './json.ts';
import { failed, passed, type Check } from './report.ts';
import type { Place, Scrubs } from './scrubs.ts';

/** What a list adds to the content. */
const added = new Set([
  'prev',
  'hash',
  'entry',
  'salt',
  'content',
  'claim_ids',
  'link',
  'status',
  'permalink',
  // Whether the text of a DIV or claim that it is about has changed since.
  'text_changed',
  'stale',
  // A later entry of the provenance records the decision on a contribution, and the settlement of a post.
  'resolution',
  'decided_at',
  'decided_by',
  'note',
  'effect',
  'vote',
]);

/** Members that repeat others under the names of spec §2.10 and §2.11. Older documents have none. */
const repeated: Readonly<Record<string, (listed: JsonRecord) => Json | undefined>> = {
  timestamp: ({ ts }) => ts,
  target_div: ({ target }) => (/^d\d+$/.test(String(target)) ? target : null),
  expected_hash: ({ target_hash: hash }) => hash,
  expected_thread_head: ({ stance, prev }) =>
    ['challenge', 'support', 'upgrade'].includes(String(stance)) ? prev : null,
  objection: ({ stance, body }) => (stance === 'objection' ? body : null),
};

/** By what the chain's name ends in: what one of its objects is called, and the contents that it may have had. */
const kinds = new Map<string, [string, (listed: JsonRecord) => Promise<readonly JsonRecord[]>]>([
  ['sources', ['source', async (source) => [contentOf(source)]]],
  ['mirror', ['contribution', async (contribution) => [await withDigest(contribution)]]],
  ['thread', ['post', async (post) => [contentOf(post)]]],
  ['provenance', ['provenance', async (item) => [spentAndChanged(item)]]],
]);

/**
 * One check for each listed object of a kind that is known. A document that `isWhole` has the entries of scrubs beside
 * what was scrubbed; a list by itself may not have them, and then nothing vouches for the replacement that it shows.
 * `isSaid` of what was said where an article was imported from, which shows no more than that.
 */
export async function checkListedContents(
  places: readonly Place[],
  scrubs: Scrubs,
  coverage: Coverage,
  { isWhole, isSaid }: { readonly isWhole: boolean; readonly isSaid: boolean },
): Promise<Check[]> {
  const checks = await Promise.all(
    places.map((place) => (isSaid ? checkSaid(place, coverage) : checkOne(place, scrubs, coverage, isWhole))),
  );
  return checks.filter((check) => check !== undefined);
}

async function checkOne(
  { object, at }: Place,
  scrubs: Scrubs,
  coverage: Coverage,
  isWhole: boolean,
): Promise<Check | undefined> {
  const entry = object['entry'] as JsonRecord;
  const chain = String(entry['chain']);
  coverage.members(object, 'entry', 'hash', 'prev');
  const kind = kinds.get(chain.slice(chain.lastIndexOf('.') + 1));
  if (kind === undefined) return undefined;
  const [id, candidates] = kind;
  const name = `${id} ${String(object['id'] ?? entry['n'])}`;
  const isProvenance = id === 'provenance';
  // A list of bare entries shows no contents.
  if (object['content'] === undefined && object['salt'] === undefined) return undefined;
  if (object['prev'] !== entry['prev'])
    return failed(id, `${name} is shown with another prev than its entry has`, at);
  const left = isProvenance
    ? [...provenanceMembers, ...stated.map(([member]) => member)].find(
        (member) => object[member] === undefined,
      )
    : undefined;
  if (left !== undefined) return failed(id, `${name} is shown without its ${left}`, at);
  const otherwise = isProvenance
    ? stated.find(([member, of]) => (object[member] ?? null) !== (entry[of] ?? null))
    : undefined;
  if (otherwise !== undefined)
    return failed(id, `${name} is shown with another ${otherwise[0]} than its entry has`, at);
  if (!isProvenance) {
    const names = Object.keys(repeated).filter((member) => object[member] !== undefined);
    const unlike = names.find((member) => object[member] !== repeated[member]?.(object));
    if (unlike !== undefined)
      return failed(id, `${name} is shown with another ${unlike} than its entry has`, at);
    coverage.members(object, ...names);
  }
  const contents = await candidates(object);
  const shown = isProvenance
    ? [...provenanceMembers, ...stated.map(([member]) => member)]
    : Object.keys(contentOf(object));
  coverage.members(object, 'salt', 'content', ...shown);
  if (object['content'] !== 'present' && object['content'] !== 'scrubbed') {
    if (object['salt'] !== null)
      return failed(id, `${name} is shown with a salt, and as if it were ${String(object['content'])}`, at);
    const isCommitted = typeof entry['content_sha'] === 'string';
    if (object['content'] !== (isCommitted ? 'withheld' : 'none'))
      return failed(
        id,
        `${name} is shown as if its entry committed to ${isCommitted ? 'nothing' : 'a content'}`,
        at,
      );
    if (!isProvenance || contents.some((content) => !showsNothing(content)))
      return failed(id, `${name} is marked as redacted and shows content that cannot be checked`, at);
    if (isCommitted) coverage.name(`${at.replace(/\[\d+\]/g, '[]')}.content`);
    return passed('withheld', `${name}: its content is ${object['content']}, its commitment stands`, at);
  }
  if (object['content'] === 'scrubbed') {
    if (object['salt'] !== null)
      return failed(id, `${name} is shown with a salt, and as if it were scrubbed`, at);
    const place = { chain, n: entry['n'], field: 'content_sha' };
    if (!scrubs.areLogged) coverage.forget(object, ...shown);
    if (!isWhole && !scrubs.knows(place))
      return passed('scrubbed', `scrubbed: nothing here commits to what replaces the content of ${name}`, at);
    return contents.some((content) => scrubs.replaces(place, content))
      ? passed('scrubbed', `scrubbed: ${name} shows a replacement that a scrub entry commits to`, at)
      : failed(id, `${name} is shown as scrubbed, and no scrub entry here commits to what replaces it`, at);
  }
  const salt = typeof object['salt'] === 'string' ? fromHex(object['salt']) : undefined;
  if (salt?.length !== 32) return failed(id, `${name} is shown without its salt`, at);
  for (const content of contents)
    if (hex(await sha256(concat(salt, utf8(canonical(content))))) === entry['content_sha'])
      return passed(id, `${name} is what its entry commits to`, at);
  return failed(id, `${name} is not what entry ${String(entry['n'])} of chain ${chain} commits to`, at);
}

/** An entry of an imported article's origin, with what it said there: the content itself, or nothing of it. */
async function checkSaid({ object, at }: Place, coverage: Coverage): Promise<Check> {
  const { said = null, salt } = object;
  const entry = object['entry'] as JsonRecord;
  const name = `entry ${String(entry['n'])} of chain ${String(entry['chain'])}`;
  const bytes = typeof salt === 'string' ? fromHex(salt) : undefined;
  // What replaced a scrubbed content has no salt, and the scrub is evidence of its origin alone.
  if (salt === null) return passed('said', `${name}: nothing here opens its content`, at);
  const isSaid =
    bytes?.length === 32 && hex(await sha256(concat(bytes, utf8(canonical(said))))) === entry['content_sha'];
  coverage.members(object, 'entry', 'hash', 'said', 'salt');
  return isSaid
    ? passed('said', `${name} commits to what was said there`, at)
    : failed('said', `${name} does not commit to what is shown as said there`, at);
}

/** What a provenance item repeats of its entry, and the entry's name for it. */
const stated = [
  ['action', 'action'],
  ['ts', 'ts'],
  ['actor', 'actor'],
  ['rev', 'rev'],
  ['receipt', 'inv'],
] as const;

/** A withheld provenance item shows that nothing was spent and nothing changed. */
function showsNothing(content: JsonRecord): boolean {
  return Object.values(content).every((value) => value === null || value === 0);
}

function contentOf(listed: JsonRecord): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(listed).filter(([name]) => !added.has(name) && !Object.hasOwn(repeated, name)),
  );
}

/** A contribution is committed with a digest of all that its sender wrote, which finds its repetitions. */
async function withDigest(contribution: JsonRecord): Promise<JsonRecord> {
  const content = contentOf(contribution);
  const { entry } = contribution;
  const [aid = ''] = String(isRecord(entry) ? entry['chain'] : '').split('.');
  const { tier, rationale = null } = content;
  const parts = [aid, ...['claim_id', 'kind', 'actor', 'body'].map((name) => content[name] ?? null)];
  if (tier !== undefined) parts.push(rationale ?? '', tier);
  else if (rationale !== null) parts.push(rationale);
  return { ...content, digest: hex(await sha256(utf8(canonical(parts)))) };
}

const provenanceMembers = [
  'change',
  'cost',
  'input',
  'model',
  'prompt',
  'response',
  'tokens_in',
  'tokens_out',
];

/** What a provenance item has of its own; the rest is its entry's. */
function spentAndChanged(item: JsonRecord): JsonRecord {
  return Object.fromEntries(provenanceMembers.map((name) => [name, item[name] ?? null]));
}
