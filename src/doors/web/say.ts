/**
 * What a reader can say on the pages about an article, a block or a claim (spec §2.10, §2.11; contract §8): which row
 * each kind calls, and how the fields of the form become its arguments.
 */
import type { JsonObject } from '../../kernel/json.ts';
import type { Form } from '../http/browser-forms.ts';

/** What a form is about. */
export type TargetKind = 'article' | 'div' | 'claim';

/** A kind of saying as the form offers it. */
interface Saying {
  /** The choice. */
  readonly name: string;
  readonly hint: string;
  readonly on: readonly TargetKind[];
  readonly row: string;
  /** The argument that takes the text; null where the row takes none. */
  readonly text: string | null;
  /** Fields beyond text and name. */
  readonly fields: readonly string[];
}

const mirror = { row: 'MIRROR_APPEND', text: 'body' } as const;
const challenge = { row: 'VOXEL_CHALLENGE', text: 'body', on: ['div'], fields: [] } as const;

/** In the order in which they are offered. */
export const sayings = {
  challenge: { name: 'Object', hint: 'what is wrong with this block as it reads now', ...challenge },
  support: { name: 'Support', hint: 'a further reason why it is right', ...challenge },
  upgrade: { name: 'Propose wording', hint: 'how it could read better', ...challenge },
  objection: {
    name: 'Object',
    hint: 'what is wrong, and what shows it',
    on: ['article', 'claim', 'div'],
    row: 'OBJECTION_LOG',
    text: 'objection',
    fields: ['surface', 'minimum_patch'],
  },
  repair: {
    name: 'Propose wording',
    hint: 'the claim in other words, as one sentence that can be shown wrong',
    ...mirror,
    on: ['claim'],
    fields: ['rationale', 'tier'],
  },
  question: { name: 'Ask', hint: 'what is left open', ...mirror, on: ['article', 'claim'], fields: [] },
  source: {
    name: 'Add a source',
    hint: 'a page, and the exact words in it that bear on this',
    ...mirror,
    on: ['article', 'claim'],
    fields: ['url', 'quote'],
  },
  contradiction: {
    name: 'Contradiction',
    hint: 'which other claim this one cannot stand beside',
    ...mirror,
    on: ['claim'],
    fields: [],
  },
  compression: { name: 'Shorten', hint: 'the claim in fewer words', ...mirror, on: ['claim'], fields: [] },
  audit: {
    name: 'Audit',
    hint: 'what was checked, how, and what came of it',
    ...mirror,
    on: ['article', 'claim'],
    fields: [],
  },
  review: {
    name: 'Review',
    hint: 'a judgement of the article as a whole',
    on: ['article'],
    row: 'OIP_ARTICLE_REVIEW',
    text: 'body',
    fields: ['verdict'],
  },
  attest: {
    name: 'Attest',
    hint: 'that you have read all of it, and what came of that',
    on: ['article'],
    row: 'VOXEL_ATTEST',
    text: null,
    fields: ['outcome'],
  },
  vote: {
    name: 'Vote',
    hint: 'what should become of it',
    on: ['article', 'div', 'claim'],
    row: 'VOXEL_VOTE',
    text: 'rationale',
    fields: ['proposal', 'at', 'into', 'vote_tier'],
  },
} as const satisfies Readonly<Record<string, Saying>>;

export type SayingKind = keyof typeof sayings;

export function isSayingKind(name: string): name is SayingKind {
  return Object.hasOwn(sayings, name);
}

export function targetKindOf(target: string): TargetKind {
  return target === '' ? 'article' : target.startsWith('c') ? 'claim' : 'div';
}

/** The kinds that a form about a target offers; an objection to a block is second to challenging it. */
export function offeredOn(target: string): readonly SayingKind[] {
  const kind = targetKindOf(target);
  return (Object.keys(sayings) as SayingKind[]).filter((each) =>
    (sayings[each].on as readonly string[]).includes(kind),
  );
}

/** The name of a choice; a block takes both a challenge and an objection. */
export function sayingName(kind: SayingKind, target: string): string {
  return kind === 'objection' && targetKindOf(target) === 'div' ? 'File an objection' : sayings[kind].name;
}

/** What the form knew about its target when it was opened. */
export interface SeenState {
  /** Of the thread. */
  readonly threadHead: string;
  /** Of the block, the claim, or the whole article. */
  readonly textHash: string;
}

interface RowCall {
  readonly key: string;
  readonly args: JsonObject;
}

/** The call that a form makes. Empty fields are left out, so that the row says what is missing. */
export function callOfForm(slug: string, kind: SayingKind, form: Form): RowCall {
  const target = form.get('on') ?? '';
  const field = (name: string): string => form.get(name)?.trim() ?? '';
  const seen: SeenState = { threadHead: field('thread_head'), textHash: field('text_hash') };
  const text = field('text');
  const actor = field('actor') === '' ? 'anonymous' : field('actor');
  return {
    key: sayings[kind].row,
    args: withoutEmpty(argumentsOf(kind, { slug, target, text, actor, seen, field })),
  };
}

interface Said {
  readonly slug: string;
  readonly target: string;
  readonly text: string;
  readonly actor: string;
  readonly seen: SeenState;
  readonly field: (name: string) => string;
}

function argumentsOf(kind: SayingKind, said: Said): Readonly<Record<string, string | undefined>> {
  const { slug, target, text, actor, seen, field } = said;
  switch (kind) {
    case 'challenge':
    case 'support':
    case 'upgrade':
      return {
        slug,
        expected_thread_head: seen.threadHead,
        target_div: target,
        expected_hash: seen.textHash,
        stance: kind,
        body: text,
        actor,
        duplicate_of: field('duplicate_of'),
      };
    case 'objection':
      return {
        slug: target === '' ? slug : `${slug}/${target}`,
        objection: text,
        surface: field('surface'),
        minimum_patch: field('minimum_patch'),
        actor,
        expected_hash: seen.textHash,
        duplicate_of: field('duplicate_of'),
      };
    case 'review':
      return { slug, verdict: field('verdict'), body: text, actor, content_hash: seen.textHash };
    case 'attest':
      return { slug, outcome: field('outcome'), content_hash: seen.textHash, actor };
    case 'vote':
      return {
        slug,
        target: target === '' ? slug : target,
        rationale: text,
        actor,
        expected_hash: seen.textHash,
        ...votesFor(field),
      };
    default:
      return {
        slug,
        claim_id: target,
        kind,
        actor,
        body: kind === 'source' ? sourceBody(text, field) : text,
        claim_hash: target === '' ? '' : seen.textHash,
        ...(kind === 'repair' ? { rationale: field('rationale'), tier: field('tier') } : {}),
      };
  }
}

/** Which of the further fields a proposal takes. */
const carriedBy: Readonly<Record<string, 'at' | 'into' | 'tier'>> = {
  should_split: 'at',
  should_merge: 'into',
  should_transclude: 'into',
  should_retier: 'tier',
};

function votesFor(field: Said['field']): Readonly<Record<string, string>> {
  const proposal = field('proposal');
  const carried = carriedBy[proposal];
  if (carried === undefined) return { proposal };
  return { proposal, [carried]: field(carried === 'tier' ? 'vote_tier' : carried) };
}

/** A source with fields of its own; without them the text is taken as it is. */
function sourceBody(text: string, field: Said['field']): string {
  const [url, quote] = [field('url'), field('quote')];
  if (url === '' && quote === '') return text;
  return JSON.stringify({ url, quote, ...(text === '' ? {} : { summary: text }) });
}

function withoutEmpty(args: Readonly<Record<string, string | undefined>>): JsonObject {
  const kept: Record<string, string> = {};
  // The row takes an empty claim_id for the article as a whole.
  for (const [name, value] of Object.entries(args))
    if (value !== undefined && (value !== '' || name === 'claim_id')) kept[name] = value;
  return kept satisfies JsonObject;
}

/** The field of the form that a violation is about; undefined where it is about none. */
export function fieldOf(kind: SayingKind, at: string): string | undefined {
  const path = at.replace(/#.*$/, '').replace(/^\//, '');
  const known: Readonly<Record<string, string>> = {
    'body/url': 'url',
    'body/quote': 'quote',
    'body/title': 'url',
    'body/summary': 'text',
    actor: 'actor',
    minimum_patch: 'minimum_patch',
    surface: 'surface',
    verdict: 'verdict',
    outcome: 'outcome',
    proposal: 'proposal',
    at: 'at',
    into: 'into',
    tier: kind === 'vote' ? 'vote_tier' : 'tier',
    ...(kind === 'repair' ? { rationale: 'rationale' } : {}),
  };
  if (Object.hasOwn(known, path)) return known[path];
  const { text } = sayings[kind];
  return text !== null && (path === text || path.startsWith(`${text}/`)) ? 'text' : undefined;
}
