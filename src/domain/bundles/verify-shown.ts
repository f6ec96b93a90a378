/**
 * A bundle shows its article beside the chains that prove it. Whatever it shows must be what the chains give, or
 * a preview of the import would differ from its result. Members that the import recomputes from
 * the rest (addresses, counts, edges, decisions on contributions) are not checked and not imported.
 */
import { isFault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { canonicalJson, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { openNote, parseVerifierKey } from '../../ledger/note.ts';
import { isRefusal } from '../../ledger/refusal.ts';
import type { Violation } from '../violations.ts';
import { divChain, parseArticleChain, type ArticleChain } from '../articles/chains.ts';
import { divide } from '../articles/divide.ts';
import { activeDivs, bodyOf, claimsOf, sourcesOf, type ArticleState } from '../articles/state.ts';
import {
  objectsIn,
  plainObject,
  currentValue,
  bundleViolation,
  type OpenChains,
  type OpenEntry,
} from './bundle.ts';
import { laterMembers, type LaterMembers } from '../upcast.ts';
import { tierWeights } from '../../model/vocabulary.ts';

/** Every place in which what is shown differs from what the chains give, and in which those give no article of ours. */
export function shownProblems(
  state: ArticleState,
  chains: OpenChains,
  value: JsonObject,
  later: LaterMembers = laterMembers,
): Violation[] {
  return [
    ...stateProblems(state),
    ...headProblems(state, value),
    ...divProblems(state, chains, value['voxels']),
    ...itemProblems('/claims', value['claims'], claimsOf(state), later.claim),
    ...itemProblems(
      '/sources',
      value['sources'],
      sourcesOf(state).map(({ source }) => source),
      later.source,
    ),
    ...chainProblems('/provenance', value['provenance'], chainIn(chains, 'provenance')),
    ...chainProblems('/sources', value['sources'], chainIn(chains, 'sources')),
    ...chainProblems('/contributions', value['contributions'], chainIn(chains, 'mirror')),
    ...chainProblems('/discourse', value['discourse'], chainIn(chains, 'thread')),
    ...questionProblems(value['question_graph'], chainIn(chains, 'questions')),
    ...originProblems(value['origin']),
  ];
}

/** Seven digits, as in the ids below. */
const divNumberMax = 9_999_999;

/** What is not Markdown of ours, or would not be read here, stays out. */
function stateProblems(state: ArticleState): Violation[] {
  const problems: Violation[] = [];
  const say = (message: string): void => void problems.push(bundleViolation('/chains', message));
  if (activeDivs(state).length === 0) say('No DIV of the article is current.');
  if (isFault(divide(bodyOf(state)))) say('The body cannot be divided.');
  const { slug, lead, divs_made: numbered } = state.row;
  if (typeof slug !== 'string' || typeof lead !== 'string') say('The slug or the lead is no text.');
  if (!Number.isInteger(numbered) || numbered > divNumberMax)
    say('How many DIVs it has numbered cannot be read.');
  for (const div of state.divs.values())
    if (!/^d[1-9][0-9]{0,6}$/.test(div.div_id) || sha256Hex(div.text) !== div.vx_hash)
      say(`The text of ${div.div_id} is not there whole.`);
    else if (typeof div.sep !== 'string' || div.sep.trim() !== '')
      say(`What stands behind ${div.div_id} is not blank.`);
  for (const { claim } of state.claims.values())
    if (
      !/^c[1-9][0-9]{0,6}$/.test(claim.id) ||
      !Object.hasOwn(tierWeights, claim.tier) ||
      sha256Hex(claim.text) !== claim.hash
    )
      say(`The claim ${claim.id} cannot be read.`);
  for (const [i, { source }] of sourcesOf(state).entries())
    if (source.id !== `s${i + 1}` || !/^https?:\/\//.test(source.url) || typeof source.quote !== 'string')
      say(`The source ${source.id} cannot be read.`);
  return problems;
}

function headProblems(state: ArticleState, value: JsonObject): Violation[] {
  const { slug, title, status, version, lead, meta } = state.row;
  const body = bodyOf(state);
  const given = { slug, title, status, version, lead, meta, body, content_hash: sha256Hex(body) };
  return Object.entries(given)
    .filter(([name, each]) => differs(value[name], each))
    .map(([name]) => bundleViolation(`/${name}`, `The ${name} is not the one that the chains give.`));
}

const divMembers = ['div_id', 'text', 'sep', 'status', 'vx_hash', 'kind'] as const;

/** Current ones stand in their order, before the others. */
function divProblems(state: ArticleState, chains: OpenChains, shown: JsonValue | undefined): Violation[] {
  const listed = objectsIn(shown);
  const current = activeDivs(state);
  const problems = listed.flatMap((item, i) => {
    const div = current[i] ?? state.divs.get(String(item['div_id']));
    const order = i < current.length ? i + 1 : null;
    return div === undefined ||
      (order === null && div.status === 'current') ||
      item['order'] !== order ||
      divMembers.some((name) => item[name] !== div[name]) ||
      differs(item['chain'], entriesOf(chains[divChain(div.aid, div.div_id)] ?? []))
      ? [bundleViolation(`/voxels/${i}`, 'The DIV is not the one that the chains give.')]
      : [];
  });
  const ids = new Set(listed.map((item) => item['div_id']));
  return listed.length === state.divs.size && ids.size === listed.length
    ? problems
    : [...problems, bundleViolation('/voxels', 'The DIVs are not those that the chains give.')];
}

function entriesOf(chain: readonly OpenEntry[]): JsonObject[] {
  return chain.map(({ entry, hash }) => ({ ...entry, hash }));
}

/** Every member of what is stored is shown as it is stored. An earlier version showed no `later` members. */
function itemProblems(
  at: string,
  shown: JsonValue | undefined,
  stored: readonly JsonObject[],
  later: JsonObject,
): Violation[] {
  const listed = objectsIn(shown).map((item): JsonObject => ({ ...later, ...item }));
  if (listed.length !== stored.length)
    return [bundleViolation(at, `There are ${listed.length} where the chains give ${stored.length}.`)];
  return stored.flatMap((each, i) =>
    Object.entries(each)
      .filter(([name, value]) => differs(listed[i]?.[name], value))
      .map(([name]) => bundleViolation(`${at}/${i}/${name}`, 'It is not what the chains give.')),
  );
}

/** What is listed with its entry stands in the chain as that very entry, and says what the entry's content says. */
function chainProblems(at: string, shown: JsonValue | undefined, chain: readonly OpenEntry[]): Violation[] {
  const listed = objectsIn(shown);
  const wrong = listed.flatMap((item, i) => {
    const entry = plainObject(item['entry']);
    const own = chain[Number(entry['n'])];
    if (own === undefined || item['hash'] !== own.hash || differs(entry, own.entry))
      return [bundleViolation(`${at}/${i}`, 'It is no entry of the chain that it is listed from.')];
    const opened = own.contents['content_sha'];
    const expected = { ...entry, salt: opened?.salt ?? null, ...plainObject(currentValue(opened)) };
    return Object.entries(expected)
      .filter(([name, each]) => name in item && !restated.has(name) && differs(item[name], each))
      .map(([name]) => bundleViolation(`${at}/${i}/${name}`, 'It is not what the entry says.'));
  });
  return listed.length === chain.length
    ? wrong
    : [...wrong, bundleViolation(at, `There are ${listed.length} where the chain has ${chain.length}.`)];
}

/** Members that later entries decide, so that what is shown is not what the first said. */
const restated: ReadonlySet<string> = new Set(['status']);

/** A question is shown as the newest of its entries has it. */
function questionProblems(shown: JsonValue | undefined, chain: readonly OpenEntry[]): Violation[] {
  const nodes = new Map(
    chain.flatMap(({ contents }) => {
      const node = plainObject(currentValue(contents['content_sha']));
      return typeof node['id'] === 'string' ? [[node['id'], node] as const] : [];
    }),
  );
  const listed = objectsIn(plainObject(shown)['questions']);
  const wrong = listed.flatMap((item, i) => {
    const node = nodes.get(String(item['id']));
    return node === undefined || Object.keys(item).some((name) => differs(item[name], node[name]))
      ? [bundleViolation(`/question_graph/questions/${i}`, 'It is not what the chains give.')]
      : [];
  });
  return listed.length === nodes.size
    ? wrong
    : [...wrong, bundleViolation('/question_graph', 'The questions are not those that the chains give.')];
}

/** Which address a log answered at is the bundle's own word; which key signed its tree head is not. */
function originProblems(shown: JsonValue | undefined): Violation[] {
  const origin = plainObject(shown);
  const { log, verifier_key: written, checkpoint } = origin;
  const say = (name: string, message: string): Violation[] => [bundleViolation(`/origin/${name}`, message)];
  if (typeof written !== 'string') return say('verifier_key', 'The key of the log is missing.');
  const key = parseVerifierKey(written);
  if (isRefusal(key)) return say('verifier_key', `The key of the log cannot be read: ${key.refused}.`);
  if (log !== key.name) return say('log', 'The log has another name than its key.');
  if (checkpoint === null) return [];
  const opened = typeof checkpoint === 'string' ? openNote(checkpoint, [key]) : undefined;
  if (opened === undefined || isRefusal(opened))
    return say('checkpoint', 'The checkpoint is not signed with the key of the log.');
  return opened.text.split('\n')[0] === log ? [] : say('checkpoint', 'The checkpoint is of another log.');
}

function chainIn(chains: OpenChains, of: ArticleChain): readonly OpenEntry[] {
  return Object.entries(chains).find(([name]) => parseArticleChain(name)?.of === of)?.[1] ?? [];
}

function differs(shown: JsonValue | undefined, given: JsonValue | undefined): boolean {
  return shown === undefined || given === undefined
    ? shown !== given
    : canonicalJson(shown) !== canonicalJson(given);
}
