/**
 * Arguments that a call under the share of an assignment leaves out (contract §7): what the assignment's snapshot knows
 * is filled in, so that an address carries only what its worker says. Nothing that was given is replaced, and the gates
 * judge the completed call as if it had been sent so. Pure.
 */
import { isFault } from '../../kernel/fault.ts';
import { canonicalJson, parseJson, type JsonObject } from '../../kernel/json.ts';
import { SourceInput } from '../../model/source.ts';
import { comparisonOf, proposedKind } from '../landscape/batch-body.ts';
import { coerce } from './arguments.ts';
import { laneRows, type Binding } from './binding.ts';
import type { Credential } from './credential.ts';
import { isObject } from '../../kernel/json-value.ts';

/** Sources that a claim cites when it names none: the newest. */
const citedMax = 3;

/** The completed body of a call; positional bodies and those of other credentials stay as they are. */
export function assignedBody(key: string, body: string, credential: Credential): string {
  const binding = credential.kind === 'share' ? credential.binding : undefined;
  if (binding === undefined) return body;
  const parsed = body.trim() === '' ? { value: {} } : parseJson(body);
  if (isFault(parsed) || !isObject(parsed.value)) return body;
  const completed = assignedArguments(key, parsed.value, binding);
  return completed === parsed.value ? body : canonicalJson(completed);
}

export function assignedArguments(key: string, given: JsonObject, binding: Binding): JsonObject {
  const { id, lane, item } = binding.assignment;
  if (key === 'LANDSCAPE_RETURN') return { assignment: id, ...given };
  if (!laneRows[lane].includes(key)) return given;
  const gathered = gather(key, given, binding);
  const document = gathered['document'];
  if (isObject(document)) return { ...gathered, document: { slug: item.article, ...document } };
  // A call about another article is none of the work; the scope gate refuses it as it is.
  if ((gathered['slug'] ?? item.article) !== item.article) return given;
  return { slug: item.article, ...knownOf(key, gathered, binding), ...gathered };
}

/** Members of a nested argument that were given by their own names. */
function gather(key: string, given: JsonObject, { assignment }: Binding): JsonObject {
  const { item } = assignment;
  if (key === 'SOURCE_POST' && given['sources'] === undefined) {
    const [source, rest] = take(given, Object.keys(SourceInput.properties));
    if (Object.keys(source).length === 0) return given;
    const { url, repository } = item.target;
    const page = url ?? (/^https?:/.test(repository ?? '') ? repository : null);
    const address = source['url'] ?? page;
    const known = { type: 'page', ...(address === null ? {} : { url: address, title: address }) };
    return { ...rest, sources: [{ ...known, ...source, ...scoreIn(source) }] };
  }
  if (key === 'VOXEL_BATCH' && given['document'] === undefined && given['operations'] === undefined) {
    const [document, rest] = take(given, ['markdown']);
    return Object.keys(document).length === 0 ? given : { ...rest, document };
  }
  if (key === 'CLAIM_POST') {
    const [said, rest] = take(given, ['axis']);
    const comparison = given['comparison'] ?? said;
    if (!isObject(comparison)) return given;
    const axis = comparison['axis'] ?? item.axis;
    // A claim of an item with an axis, or one that names an axis, is a comparison.
    return axis === null
      ? given
      : { ...rest, comparison: { ...comparisonOf(assignment), axis, ...comparison } };
  }
  return given;
}

/** A number that an address gave as text. */
function scoreIn({ quality_score: score }: JsonObject): JsonObject {
  return typeof score === 'string' ? { quality_score: coerce(score, { type: 'number' }) } : {};
}

/** The named members that say something, and the others. */
function take(given: JsonObject, names: readonly string[]): readonly [JsonObject, JsonObject] {
  const entries = Object.entries(given);
  return [
    Object.fromEntries(entries.filter(([name, value]) => names.includes(name) && value !== '')),
    Object.fromEntries(entries.filter(([name]) => !names.includes(name))),
  ];
}

/** What the assignment knows of a row's arguments; those that were given take precedence. */
function knownOf(key: string, given: JsonObject, { assignment, landed }: Binding): JsonObject {
  const { footing, snapshot, item, lane } = assignment;
  switch (key) {
    case 'VOXEL_CHALLENGE': {
      const { div } = footing;
      const isOther = div === null || (given['target_div'] ?? div.id) !== div.id;
      return {
        stance: 'challenge',
        expected_thread_head: snapshot.article.thread_head,
        // The hash is that of the known DIV.
        ...(isOther ? {} : { target_div: div.id, expected_hash: div.hash }),
      };
    }
    case 'VOXEL_VOTE':
      return { target: footing.div?.id ?? item.article };
    case 'VOXEL_ATTEST': {
      const { content_hash: hash } = snapshot.article;
      return hash === null ? {} : { content_hash: hash };
    }
    case 'MIRROR_APPEND':
      return { claim_id: '', kind: proposedKind[lane] };
    case 'CLAIM_POST':
      return {
        ...citation(given, footing.sources, landed),
        ...(item.slot === null ? {} : { slot: item.slot }),
      };
    default:
      return {};
  }
}

/** Sources that this work landed, else those that the article had; none for a claim that says why it has none. */
function citation(given: JsonObject, known: readonly string[], landed: Binding['landed']): JsonObject {
  if (given['why_material'] !== undefined) return {};
  const own = landed.flatMap(({ kind, id }) =>
    kind === 'source' ? [id.slice(id.lastIndexOf('/') + 1)] : [],
  );
  const cited = (own.length === 0 ? known : own).slice(-citedMax);
  return cited.length === 0 ? {} : { source_ids: [...cited] };
}
