/**
 * Objects that are listed beside the entry that commits to them (contract §1.4, §1.5): sources, contributions, what
 * was said in the discourse, provenance. The committed content is taken out of the listed object again, so that a
 * quote that was changed on the way is found.
 */
import { concat, fromHex, hex, sha256, utf8 } from './bytes.ts';
import { canonical, isRecord, type Json, type JsonRecord } from './json.ts';
import type { Place } from './opened.ts';
import { failed, passed, type Check } from './report.ts';

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
  // What became of a contribution is told by a later entry, of the provenance.
  'resolution',
  'decided_at',
  'decided_by',
  'note',
  'effect',
]);

/** By what the chain's name ends in: what one of its objects is called, and the contents that it may have had. */
const kinds: Readonly<Record<string, [string, (listed: JsonRecord) => Promise<readonly JsonRecord[]>]>> = {
  sources: [
    'source',
    async (source) => {
      const content = contentOf(source);
      // A score may have been given later, by another entry.
      return [content, { ...content, quality_score: null }];
    },
  ],
  mirror: ['contribution', async (contribution) => [await withDigest(contribution)]],
  thread: ['post', async (post) => [contentOf(post)]],
  provenance: ['provenance', async (item) => [spentAndChanged(item)]],
};

/** One check for each listed object of a kind that is known. */
export async function checkListed(places: readonly Place[]): Promise<Check[]> {
  const checks = await Promise.all(places.map(checkOne));
  return checks.filter((check) => check !== undefined);
}

async function checkOne({ object, at }: Place): Promise<Check | undefined> {
  const entry = object['entry'] as JsonRecord;
  const chain = String(entry['chain']);
  const kind = kinds[chain.slice(chain.lastIndexOf('.') + 1)];
  if (kind === undefined || object['content'] === undefined) return undefined;
  const [id, candidates] = kind;
  const name = `${id} ${String(object['id'] ?? entry['n'])}`;
  const otherwise = ['action', 'ts', 'actor', 'rev'].find(
    (member) => id === 'provenance' && (object[member] ?? null) !== (entry[member] ?? null),
  );
  if (otherwise !== undefined)
    return failed(id, `${name} is shown with another ${otherwise} than its entry has`, at);
  if (object['salt'] === null && object['content'] !== 'present')
    return object['content'] === 'none' && entry['content_sha'] !== undefined
      ? failed(id, `${name} is shown as if its entry committed to nothing`, at)
      : passed('scrubbed', `${name}: its content is ${String(object['content'])}, its commitment stands`, at);
  if (object['content'] !== 'present')
    return failed(id, `${name} is shown with a salt, and as if it were ${String(object['content'])}`, at);
  const salt = typeof object['salt'] === 'string' ? fromHex(object['salt']) : undefined;
  if (salt?.length !== 32) return failed(id, `${name} is shown without its salt`, at);
  for (const content of await candidates(object))
    if (hex(await sha256(concat(salt, utf8(canonical(content))))) === entry['content_sha'])
      return passed(id, `${name} is what its entry commits to`, at);
  return failed(id, `${name} is not what entry ${String(entry['n'])} of chain ${chain} commits to`, at);
}

function contentOf(listed: JsonRecord): Record<string, Json> {
  return Object.fromEntries(Object.entries(listed).filter(([name]) => !added.has(name)));
}

/** A contribution is committed with a digest of all that its sender wrote, which finds its repetitions. */
async function withDigest(contribution: JsonRecord): Promise<JsonRecord> {
  const content = contentOf(contribution);
  const { entry } = contribution;
  const [aid = ''] = String(isRecord(entry) ? entry['chain'] : '').split('.');
  const { tier, rationale = null } = content;
  const said = [aid, ...['claim_id', 'kind', 'actor', 'body'].map((name) => content[name] ?? null)];
  if (tier !== undefined) said.push(rationale ?? '', tier);
  else if (rationale !== null) said.push(rationale);
  return { ...content, digest: hex(await sha256(utf8(canonical(said)))) };
}

/** What a provenance item has of its own; the rest is its entry's. */
function spentAndChanged(item: JsonRecord): JsonRecord {
  const own = ['change', 'cost', 'input', 'model', 'prompt', 'response', 'tokens_in', 'tokens_out'];
  return Object.fromEntries(own.map((name) => [name, item[name] ?? null]));
}
