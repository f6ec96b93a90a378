/**
 * What a credential covers (spec §5, contract §3, §4). A share has one grant; an API key may have several,
 * each bound to one article or to none. A grant names rows, a prefix of keys, or one of the two tiers.
 */
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { refusalOf, violation, type Violation } from '../violations.ts';
import type { CapabilityRecord, CapabilityRow, CapabilityScope } from './tables.ts';
import type { Grant } from '../../model/capability.ts';

/** The properties of a row that decide whether a grant covers it. */
export interface Coverable {
  readonly key: string;
  readonly inAct: boolean;
  readonly safe: boolean;
  readonly prefixable: boolean;
  /** `owner`: no share and no key covers it. */
  readonly auth: 'none' | 'share' | 'owner';
  /** It only delegates or revokes authority: any share may call it. */
  readonly selfLimiting?: boolean | undefined;
}

/** The rows that there are, by key. */
export interface Rows<R extends Coverable = Coverable> {
  get(key: string): R | undefined;
  values(): Iterable<R>;
}

export function grantsOf(record: CapabilityRecord): readonly Grant[] {
  return record.grants ?? [record];
}

/** Whether a scope covers a row, for any article. */
export function covers({ scope, keys }: Pick<Grant, 'scope' | 'keys'>, row: Coverable): boolean {
  switch (scope) {
    case 'row':
    case 'rows':
      return keys.includes(row.key);
    case 'pfx':
      return row.prefixable && keys.some((prefix) => row.key.startsWith(prefix));
    case 'act':
      return row.inAct;
    case 'read':
      return row.safe;
  }
}

/** Names the owner-only rows among `keys`; undefined if there are none. */
export function ownerOnlyRows(keys: readonly string[], rows: Rows): string | undefined {
  const theirs = keys.filter((key) => {
    const row = rows.get(key);
    return row !== undefined && isOwnerOnly(row);
  });
  if (theirs.length === 0) return undefined;
  return `${theirs.join(', ')} ${theirs.length === 1 ? 'is' : 'are'} the owner's alone, and nobody else's credential opens ${theirs.length === 1 ? 'it' : 'them'}`;
}

function isOwnerOnly({ auth, selfLimiting }: Coverable): boolean {
  return auth === 'owner' && selfLimiting !== true;
}

/** Prefixes that cover no row, with the rows they match and how to name those; undefined if every prefix covers one. */
export function checkPrefixes(
  prefixes: readonly string[],
  rows: Rows,
): { readonly what: string; readonly fix: string } | undefined {
  const all = [...rows.values()];
  const empty = prefixes.filter(
    (prefix) => !all.some((row) => covers({ scope: 'pfx', keys: [prefix] }, row) && !isOwnerOnly(row)),
  );
  if (empty.length === 0) return undefined;
  const meant = all.filter(({ key }) => empty.some((prefix) => key.startsWith(prefix)));
  const alone = meant.filter((row) => !isOwnerOnly(row)).map(({ key }) => key);
  const why =
    meant.length === 0
      ? 'no row begins so'
      : alone.length === 0
        ? `${meant.map(({ key }) => key).join(', ')} ${meant.length === 1 ? 'is' : 'are'} the owner's alone`
        : `${alone.join(', ')} ${alone.length === 1 ? 'is' : 'are'} opened by name alone`;
  return {
    what: `${empty.map((prefix) => `"${prefix}"`).join(', ')} would open nothing: ${why}`,
    fix:
      alone.length === 0
        ? 'Send the beginning of keys that a share can open, such as VOXEL_; the registry has them.'
        : `Name ${alone.join(', ')} with scope rows.`,
  };
}

/** Fix for owner-only rows. */
export const ownerOnlyFix =
  'Name rows that a share can open. The owner calls the others with the owner key in the x-terminal-key header; receipts of them are read with scope read.';

/** Whether any grant of a credential covers the article. */
export function reachesArticle(record: CapabilityRecord, slug: string): boolean {
  return grantsOf(record).some(({ article }) => (article ?? slug) === slug);
}

/**
 * Who may append a document to an existing article (spec §4.4 voxel-batch, §5 rule 2): the tier `act` only starts new
 * articles, so every link of the credential needs a scope that names rows which write text. Part of the scope gate.
 */
export function checkAppendScope(
  row: Coverable,
  slug: string,
  chain: readonly CapabilityRow[],
): Fault | undefined {
  const writesText = ({ scope, keys, article }: Grant): boolean =>
    scope !== 'act' &&
    scope !== 'read' &&
    (article ?? slug) === slug &&
    (keys.includes('VOXEL_EDIT') || covers({ scope, keys }, row));
  if (chain.every(({ record }) => grantsOf(record).some(writesText))) return undefined;
  return fault(
    'voxel_scope_required',
    `${slug} stands already, and the credential writes no text of articles that do.`,
    'Send a slug that is free, or ask for a credential with rows:VOXEL_BATCH or pfx:VOXEL_.',
  );
}

const forms = 'read, act, rows:KEY,KEY or pfx:PREFIX_, each with @slug where it is for one article';
const grantsMax = 20;

const grantForm = /^(?:(read|act)|(rows|pfx):([A-Z0-9_,]*[A-Z0-9_][A-Z0-9_,]*))(?:@([a-z0-9-]{2,120}))?$/;

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** One violation for each word that is not a scope. Rows are checked by `parseGrants`. */
export function grantRules(text: string | null | undefined): Violation[] {
  if (typeof text !== 'string') return [];
  const say = (what: string, fix: string): Violation =>
    violation('malformed', '/scopes', `The key cannot be minted: ${what}.`, fix);
  const words = wordsOf(text);
  if (words.length === 0) return [say('it names no scope', `Send ${forms}.`)];
  if (words.length > grantsMax) return [say(`it names ${words.length} scopes`, `Send at most ${grantsMax}.`)];
  return words
    .filter((word) => !grantForm.test(word))
    .map((word) => say(`"${word.slice(0, 80)}" is no scope that names its rows`, `Send ${forms}.`));
}

/** Scopes as they are written, separated by spaces: `act rows:VOXEL_EDIT,VOXEL_MOVE@what-the-ledger-is`. */
export function parseGrants(text: string, rows: Rows): Grant[] | Fault {
  const bad = refusalOf(grantRules(text), 'The key');
  if (bad !== undefined) return bad;
  const words = wordsOf(text);
  const grants: Grant[] = [];
  for (const word of words) {
    const grant = parseGrant(word, rows);
    if (isFault(grant)) return grant;
    grants.push(grant);
  }
  return grants;
}

function parseGrant(word: string, rows: Rows): Grant | Fault {
  const [, tier, kind, list = '', article = null] = grantForm.exec(word) as RegExpExecArray;
  const scope = (tier ?? kind) as CapabilityScope;
  const keys = list.split(',').filter((key) => key !== '');
  const unknown = scope === 'rows' ? unknownRows(keys, rows) : undefined;
  if (unknown !== undefined) return unknown;
  const closed = scope === 'rows' ? ownerOnlyRows(keys, rows) : undefined;
  if (closed !== undefined) return mismatch(closed, ownerOnlyFix);
  const empty = scope === 'pfx' ? checkPrefixes(keys, rows) : undefined;
  if (empty !== undefined) return mismatch(empty.what, empty.fix);
  return { scope, keys, article };
}

/** Names the keys that no row has; undefined if every row exists. */
export function unknownRows(keys: readonly string[], rows: Rows): Fault | undefined {
  const strangers = keys.filter((key) => rows.get(key) === undefined);
  if (strangers.length === 0) return undefined;
  const what = `There ${strangers.length === 1 ? 'is no row' : 'are no rows'} ${strangers.join(', ')}.`;
  return fault('unknown_key', what, 'Read the registry for the keys that exist.');
}

function mismatch(what: string, fix: string): Fault {
  return fault('body_mismatch', `The key cannot be minted: ${what}.`, fix);
}
