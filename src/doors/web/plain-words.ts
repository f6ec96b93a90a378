/**
 * Names of acts in plain words (contract §8): the same phrase for one act on every page, in feeds and in messages.
 *
 * `wordsOf(act, place?)` returns what follows the name of who acted: “reworded c2 of Ants”, “objected to c2 of Ants”.
 * Its parts are texts, ids to link (`{id}`) and the article (`{slug, title}`); `plainText` joins them, and
 * `ActWords` in `parts.tsx` links them. Put `actorText(actor)` in front, or `typedName(name)` where a typed name is
 * shown, and nothing behind but the time.
 *
 * An act is an entry of the ledger: `kind` is `kindOf(entry.chain)`, `verb` is `verbOf(entry)`. Everything else is
 * optional and makes the phrase more exact: `of` the ids of its objects (`change.of` of a provenance entry; for a block
 * its id),
 * `target` what a contribution, a vote or an entry of the discussion is about, `detail` its kind, proposal, decision,
 * outcome or verdict (of a change of metadata the new status, of a revert the restored revision), `made` how many blocks are new, `key` the row of an invocation. `actOfDeed` makes one of a
 * provenance entry. Unknown verbs are shown as they are.
 */
import type { Deed } from '../../app/reads/article-view.ts';
import type { EntryKind } from '../../app/reads/log-subject.ts';
import { countText } from './format-text.ts';

export interface Act {
  readonly kind: EntryKind;
  /** `op` or `action` of the entry. */
  readonly verb: string;
  /** Ids such as `c2`, `d3`, `s1`, `mc_…`. */
  readonly of?: readonly string[] | undefined;
  /** Number of new blocks. */
  readonly made?: number | undefined;
  /** `c2`, `d3`, or '' for the article as a whole. */
  readonly target?: string | null | undefined;
  readonly detail?: string | null | undefined;
  /** Row of an invocation. */
  readonly key?: string | null | undefined;
}

/** The article of an act; without one the phrase says “the article”. */
export interface Place {
  readonly slug: string;
  readonly title: string;
}

export type Words = readonly (string | { readonly id: string } | Place)[];

export function wordsOf(act: Act, place?: Place): Words {
  const at: Words = [place ?? 'the article'];
  switch (act.kind) {
    case 'article':
      return ofArticle(act, at, place);
    case 'div':
      return ofBlock(act, place);
    case 'source':
      return ['added ', ...idsOf(act, 'a source'), ' to ', ...at];
    case 'discourse':
      return ofDiscourse(act, at, place);
    case 'contribution':
      return ofContribution(act, at, place);
    case 'vote':
      return ofVote(act, at, place);
    case 'question':
      return [...(questionActs[act.verb] ?? [`${spaced(act.verb)} `]), ...at];
    case 'invocation':
      return [ofCall(act)];
    default:
      return [otherActs[`${act.kind} ${act.verb}`] ?? `${spaced(act.verb)} (${act.kind})`];
  }
}

/** The phrase without links. */
export function plainText(words: Words): string {
  return words
    .map((part) => (typeof part === 'string' ? part : 'id' in part ? part.id : part.title))
    .join('');
}

/** A name that a contributor typed; quoted, because it is not verified. */
export function typedName(name: string): string {
  return `“${name}”`;
}

export function actOfDeed({ action, of, made }: Pick<Deed, 'action' | 'of' | 'made'>): Act {
  return { kind: 'article', verb: action, of, made };
}

function ofArticle(act: Act, at: Words, place: Place | undefined): Words {
  const on = within(place);
  const made = act.made ?? 0;
  switch (act.verb) {
    case 'write':
      return ['wrote ', ...at, ...(made === 0 ? [] : [` in ${countText(made, 'block')}`])];
    case 'append':
      return [`added ${made === 0 ? 'text' : countText(made, 'block')} to `, ...at];
    case 'claim':
      return ['made ', ...idsOf(act, 'a claim', 'the claim '), ...inside(place)];
    case 'source':
      return ['added ', ...idsOf(act, 'a source', 'the source '), ' to ', ...at];
    case 'voxel_edit':
      return ['edited ', ...idsOf(act, 'a block', 'block '), ...on];
    case 'voxel_move':
      return ['moved ', ...idsOf(act, 'a block', 'block '), ...on];
    case 'voxel_consolidate':
      return ['merged ', ...idsOf(act, 'blocks', 'block '), ...on];
    case 'voxel_split':
      return ['split ', ...idsOf(act, 'a block', 'block '), ...on];
    case 'voxel_burn':
      return ['removed ', ...idsOf(act, 'blocks', 'block '), ...on];
    case 'rewrite':
      return ['edited ', ...at];
    case 'revert':
      return act.detail == null
        ? ['went back to an earlier text of ', ...at]
        : [`restored revision ${act.detail} of `, ...at];
    case 'claim_repair':
      return ['reworded ', ...idsOf(act, 'a claim'), ...on];
    case 'claim_retract':
      return ['retracted ', ...idsOf(act, 'a claim'), ...on];
    case 'mirror_accept':
      return ['accepted ', proposals[act.detail ?? ''] ?? 'a proposal', ...about(act, at, place)];
    case 'mirror_reject':
      return ['rejected ', proposals[act.detail ?? ''] ?? 'a proposal', ...about(act, at, place)];
    case 'thread_settle':
      return ['settled an entry of the discussion', ...about(act, at, place)];
    case 'meta':
      return [statusActs[act.detail ?? ''] ?? `changed ${listed(act.of ?? [])} of `, ...at];
    case 'link_check':
      return ['checked the links of the sources of ', ...at];
    case 'scrub':
      return ['removed a secret from ', ...at];
    case 'webhook_secret':
      return ['made a new webhook secret for ', ...at];
    case 'import':
      return ['imported ', ...at];
    default:
      return [`${spaced(act.verb)} `, ...at];
  }
}

/** What a change of the status did. */
const statusActs: Readonly<Record<string, string>> = {
  published: 'published ',
  archived: 'archived ',
  draft: 'took back to draft ',
};

/** Where the name of a member says little. */
const metadataNames: Readonly<Record<string, string>> = {
  home: 'the place on the home page',
  traversal: 'the series',
};

/** Names of the metadata that were changed. */
function listed(members: readonly string[]): string {
  if (members.length === 0) return 'title, tags or status';
  const names = members.map((member) => metadataNames[member] ?? member);
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

const blockActs: Readonly<Record<string, string>> = {
  divide: 'wrote',
  edit: 'edited',
  move: 'moved',
  consolidate: 'merged other blocks into',
  absorb: 'merged into another block:',
  burn: 'removed',
};

function ofBlock(act: Act, place: Place | undefined): Words {
  const [id] = act.of ?? [];
  return [
    `${blockActs[act.verb] ?? spaced(act.verb)} `,
    ...(id === undefined ? ['a block'] : ['block ', { id }]),
    ...within(place),
  ];
}

const discourseActs: Readonly<Record<string, string>> = {
  challenge: 'challenged ',
  support: 'supported ',
  upgrade: 'asked for an improvement of ',
  objection: 'objected to ',
  attestation: 'read ',
  confirmation: 'confirmed an earlier objection to ',
  review: 'reviewed ',
  note: 'kept a conversation about ',
  update: 'kept a conversation about ',
};

const outcomes: Readonly<Record<string, string>> = {
  novel_objection: 'a new objection',
  duplicate_confirm: 'the same objection as before',
  upgrade_proposal: 'proposed an improvement',
  nothing_to_add: 'nothing to add',
  sound: 'sound',
  needs_work: 'needs work',
  unsound: 'unsound',
};

function ofDiscourse(act: Act, at: Words, place: Place | undefined): Words {
  const told = outcomes[act.detail ?? ''];
  return [
    discourseActs[act.verb] ?? `${spaced(act.verb)} `,
    ...targetOf(act, at, place),
    ...(told === undefined ? [] : [`: ${told}`]),
  ];
}

const contributionActs: Readonly<Record<string, string>> = {
  question: 'asked about ',
  objection: 'objected to ',
  source: 'proposed a source for ',
  repair: 'proposed another wording of ',
  compression: 'proposed a shorter wording of ',
  contradiction: 'contradicted ',
  audit: 'audited ',
};

/** What a decision on a contribution is about, by its kind. */
const proposals: Readonly<Record<string, string>> = {
  question: 'a question',
  objection: 'an objection',
  source: 'a source',
  repair: 'another wording',
  compression: 'a shorter wording',
  contradiction: 'a contradiction',
  audit: 'an audit',
};

function ofContribution(act: Act, at: Words, place: Place | undefined): Words {
  return [contributionActs[act.detail ?? ''] ?? 'contributed to ', ...targetOf(act, at, place)];
}

const voteProposals: Readonly<Record<string, string>> = {
  should_be_div: 'should become a block',
  should_be_article: 'should become an article',
  should_merge: 'should be merged',
  should_split: 'should be split',
  should_burn: 'should be removed',
  should_transclude: 'should be transcluded',
  should_retier: 'should have another tier',
};

/** What a vote proposes: “should be merged”. */
export function proposalText(proposal: string): string {
  return voteProposals[proposal] ?? spaced(proposal);
}

function ofVote(act: Act, at: Words, place: Place | undefined): Words {
  if (act.verb === 'decide')
    return [act.detail == null ? 'decided' : act.detail, ' a vote on ', ...targetOf(act, at, place)];
  return [
    'voted ',
    ...(act.detail == null
      ? ['on ', ...targetOf(act, at, place)]
      : ['that ', ...targetOf(act, at, place), ` ${proposalText(act.detail)}`]),
  ];
}

const questionActs: Readonly<Record<string, Words>> = {
  ask: ['asked a question of '],
  accept: ['kept a question about '],
  ingest: ['added evidence to '],
};

const otherActs: Readonly<Record<string, string>> = {
  'capability mint': 'made a share or key',
  'capability revoke': 'revoked a share or key',
  'capability denials': 'was refused several times',
  'paper grow': 'brought the paper about this ledger up to date',
  'row create': 'made a row of the directory',
  'row replace': 'replaced a row of the directory',
  'row revise': 'changed a row of the directory',
  'cohort queue': 'queued work',
  'assignment lease': 'took on a piece of work',
  'assignment begin': 'began a draft',
  'assignment land': 'delivered work',
  'assignment complete': 'completed a piece of work',
  'assignment return': 'gave a piece of work back',
  'certificate certify': 'certified that a proof was inspected',
  'workspace create': 'made a workspace',
  'workspace set': 'changed a workspace',
  'scrub scrub': 'removed a secret',
  'system lease': 'took up a background job',
  'system accept_rollback': 'began this log after the ledger was set back',
};

/** Every built-in row: what was done, and what it was asked to do. */
const rowActs: Readonly<Record<string, readonly [did: string, wanted: string]>> = {
  ARTICLE_META: ['changed title, tags or status of an article', 'change title, tags or status of an article'],
  ARTICLE_IMPORT: ['imported an article', 'import an article'],
  ARTICLE_INSPECT: ['read a part of an article', 'read a part of an article'],
  ARTICLE_REWRITE: ['edited an article', 'edit an article'],
  ARTICLE_REVERT: ['restored an earlier revision', 'restore an earlier revision'],
  PAPER_GROW: [
    'brought the paper about this ledger up to date',
    'bring the paper about this ledger up to date',
  ],
  PAPER_STATE: ['read the paper about this ledger', 'read the paper about this ledger'],
  VOXEL_BATCH: ['wrote an article or several changes', 'write an article or several changes'],
  CAP_MINT: ['made a share', 'make a share'],
  CAP_EXPLAIN: ['asked what a share permits', 'ask what a share permits'],
  CAP_REVOKE: ['revoked a share', 'revoke a share'],
  OIP_TREE: ['read the protocol', 'read the protocol'],
  OIP_RECEIPT: ['read a receipt', 'read a receipt'],
  KEY_MINT: ['made an API key', 'make an API key'],
  KEY_REVOKE: ['revoked an API key', 'revoke an API key'],
  WEBHOOK_SECRET: ['made a new webhook secret', 'make a new webhook secret'],
  CLAIM_POST: ['made a claim', 'make a claim'],
  SOURCE_POST: ['added sources', 'add sources'],
  CLAIM_RETRACT: ['retracted a claim', 'retract a claim'],
  CLAIM_REPAIR: ['reworded a claim', 'reword a claim'],
  VOXEL_CHALLENGE: ['challenged or supported a block', 'challenge or support a block'],
  VOXEL_ATTEST: ['said what reading a text came to', 'say what reading a text came to'],
  VOXEL_VOTE: ['voted', 'vote'],
  VOXEL_RATIFY: ['decided a vote', 'decide a vote'],
  OBJECTION_LOG: ['filed an objection', 'file an objection'],
  THREAD_SETTLE: ['settled an entry of a discussion', 'settle an entry of a discussion'],
  OIP_ARTICLE_REVIEW: ['reviewed an article', 'review an article'],
  MODEL_CHAT_INTAKE: ['kept a turn of a conversation', 'keep a turn of a conversation'],
  THREAD_UPDATE: ['kept a turn of a conversation', 'keep a turn of a conversation'],
  WEB_FETCH: ['read a web page', 'read a web page'],
  REPO_TAIL: ['read the newest commits of the repository', 'read the newest commits of the repository'],
  CREATIVE_GENERATE: ['generated an image or a video', 'generate an image or a video'],
  IMAGE_STORE: ['stored an image', 'store an image'],
  LANDSCAPE_QUEUE: ['queued work', 'queue work'],
  LANDSCAPE_NEXT: ['took on a piece of work', 'take on a piece of work'],
  LANDSCAPE_RETURN: ['gave a piece of work back', 'give a piece of work back'],
  MIRROR_APPEND: ['proposed a contribution', 'propose a contribution'],
  MIRROR_FEED: ['read the contributions to an article', 'read the contributions to an article'],
  MIRROR_RESOLVE: ['decided a contribution', 'decide a contribution'],
  DIRECTORY_PUT: ['made a row of the directory', 'make a row of the directory'],
  DIRECTORY_PATCH: ['changed a row of the directory', 'change a row of the directory'],
  ROW_SECRET: ['set or removed the secret of a row', 'set or remove the secret of a row'],
  PROOF_CERTIFY: ['certified that a proof was inspected', 'certify that a proof was inspected'],
  OIP_APPROVE: ['decided a call that awaited approval', 'decide a call that awaits approval'],
  OIP_REPLAY: ['repeated a call', 'repeat a call'],
  OIP_REPAIR: ['repaired a failed call', 'repair a failed call'],
  ARTICLE_ASK: ['asked a question of an article', 'ask a question of an article'],
  ARTICLE_INGEST: ['added evidence to an article', 'add evidence to an article'],
  SECRET_SCRUB: ['removed a secret', 'remove a secret'],
  VOXEL_DIVIDE: ['divided an article into blocks', 'divide an article into blocks'],
  VOXEL_EDIT: ['edited a block', 'edit a block'],
  VOXEL_MOVE: ['moved a block', 'move a block'],
  VOXEL_CONSOLIDATE: ['merged blocks', 'merge blocks'],
  VOXEL_BURN: ['removed blocks', 'remove blocks'],
  VOXEL_SPLIT: ['split a block', 'split a block'],
  WORKSPACE_CREATE: ['made a workspace', 'make a workspace'],
  NOTIFY_PUT: ['added a target of notifications', 'add a target of notifications'],
  NOTIFY_REMOVE: ['removed a target of notifications', 'remove a target of notifications'],
  NOTIFY_TEST: ['sent a test message', 'send a test message'],
  WORKSPACE_SET: ['changed a workspace', 'change a workspace'],
};

/** What a call of a row did, by the status of its newest entry. */
function ofCall({ key, verb }: Act): string {
  const [did, wanted] =
    rowActs[key ?? ''] ?? (key == null ? ['made a call', 'make a call'] : [`called ${key}`, `call ${key}`]);
  switch (verb) {
    case 'success':
      return did;
    case 'failed':
      return `tried to ${wanted}, which failed`;
    case 'denied':
      return `was refused: ${wanted}`;
    case 'proposed':
      return `asked the owner’s approval to ${wanted}`;
    case 'declined':
      return `declined to let this happen: ${wanted}`;
    case 'running':
    case 'submitted':
    case 'resumed':
      return `began to ${wanted}`;
    case 'repaired_by':
      return `repaired a failed call: ${wanted}`;
    case 'scrub':
      return 'removed a secret from a request or a response';
    default:
      return `${spaced(verb)}: ${wanted}`;
  }
}

/** What a row is for, as an infinitive: “file an objection”. */
export function wantedText(key: string): string {
  return rowActs[key]?.[1] ?? `call ${key}`;
}

/** Whether a built-in row has words of its own; a test asks for every one. */
export function hasWords(key: string): boolean {
  return Object.hasOwn(rowActs, key);
}

/** Ids of an act that stand in the article; those of contributions and entries are left out. */
const placed = /^[cds]\d+$/;
const namedMax = 3;

/** “c2”, “claims c1 and c2”, “12 claims”; `none` where the act names no object. `one` stands in front of a single id. */
function idsOf({ of = [] }: Act, none: string, one = ''): Words {
  const ids = of.filter((id) => placed.test(id));
  if (ids.length === 0) return [none];
  const many = one === '' ? '' : `${one.trimEnd()}s `;
  if (ids.length > namedMax)
    return [`${ids.length} ${many === '' ? 'objects' : many.replace(/^the /, '').trimEnd()}`];
  return [
    ids.length === 1 ? one : many,
    ...ids.flatMap((id, i) => [...(i === 0 ? [] : [i === ids.length - 1 ? ' and ' : ', ']), { id }]),
  ].filter((part) => part !== '');
}

function targetOf({ target }: Act, at: Words, place: Place | undefined): Words {
  if (target == null || !placed.test(target)) return at;
  return [...(target.startsWith('d') ? ['block '] : []), { id: target }, ...within(place)];
}

/** “ for c2 of Ants”: what a decision concerns. */
function about(act: Act, at: Words, place: Place | undefined): Words {
  const target = act.target ?? act.of?.find((id) => placed.test(id));
  return [act.verb === 'thread_settle' ? ' on ' : ' for ', ...targetOf({ ...act, target }, at, place)];
}

function within(place: Place | undefined): Words {
  return place === undefined ? [] : [' of ', place];
}

function inside(place: Place | undefined): Words {
  return place === undefined ? [] : [' in ', place];
}

function spaced(verb: string): string {
  return verb.replaceAll('_', ' ');
}
