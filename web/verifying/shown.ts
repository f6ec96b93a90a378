/**
 * Compares the words of claims, sources, contributions and discussion on the page of an article with its bundle, which is
 * verified before. Served pages and those of a static site have the same parts.
 */
import { entryName, sayingText, sourceIn } from '../../src/doors/web/said-words.ts';
import { splitInvisible } from '../../src/kernel/invisible-characters.ts';
import type { Check } from './seal.ts';

interface ShownPost {
  readonly id: string;
  readonly actor: string;
  readonly body: string;
  readonly stance: string;
  readonly outcome: string | null;
  readonly verdict: string | null;
  readonly surface: string | null;
  readonly target: string;
  readonly minimum_patch: string | null;
}

interface ShownContribution {
  readonly id: string;
  readonly actor: string;
  readonly kind: string;
  readonly claim_id: string;
  readonly body: string;
  readonly tier?: string;
}

interface ShownVote {
  readonly id: string;
  readonly actor: string;
  readonly proposal: string;
  readonly target: string;
  readonly rationale: string;
  readonly carries?: { readonly at?: string; readonly into?: string; readonly tier?: string };
}

/** What an entry of a chain commits to, or what a scrub put in its place. */
interface Opened {
  readonly contents?: { readonly content_sha?: { readonly value: unknown; readonly replacement?: unknown } };
}

/** The parts of a bundle whose words a page shows beside the text. */
export interface SaidInBundle {
  readonly claims: readonly {
    readonly id: string;
    readonly text: string;
    readonly tier: string;
    readonly weight: number;
    readonly status: string;
    readonly source_ids: readonly string[];
  }[];
  readonly sources: readonly {
    readonly id: string;
    readonly title: string;
    readonly url: string;
    readonly quote: string;
    readonly summary: string;
  }[];
  readonly contributions: readonly ShownContribution[];
  readonly discourse: readonly ShownPost[];
  readonly chains: Readonly<Record<string, readonly Opened[]>>;
}

export function compareSaid(article: HTMLElement, bundle: SaidInBundle): Check[] {
  return [
    ...compareThesis(article, bundle),
    ...compareClaims(article, bundle),
    ...compareSources(article, bundle),
    ...compareEntries(article, bundle),
  ];
}

/**
 * What a page shows and no entry in the bundle commits to. Entries from before an article was published are not opened, so
 * that the claims of a draft, its title and the order of its blocks have only the word of who sent the bundle.
 */
export function notProven(uncovered: readonly string[], bundle: SaidInBundle): string[] {
  const names = new Set(uncovered);
  const unproven = (list: 'claims' | 'sources'): boolean =>
    (names.has(list) || names.has(`${list}[].*`)) && bundle[list].length !== 0;
  return [
    ...(names.has('title') ? ['the title'] : []),
    ...(names.has('voxels[]') ? ['the order of the blocks'] : []),
    ...(unproven('claims') ? ['the claims'] : []),
    ...(unproven('sources') ? ['the sources'] : []),
  ];
}

/** The first claim that stands, below the title. */
function compareThesis(article: HTMLElement, { claims }: SaidInBundle): Check[] {
  const first = claims.find(({ status }) => status === 'active');
  const shown = [...article.querySelectorAll('.thesis')].map(textOf).join(' ');
  return equal(
    'claim',
    'the thesis',
    shown,
    first === undefined ? '' : `${first.text} ${first.id}`,
    'thesis',
  );
}

function compareClaims(article: HTMLElement, { claims }: SaidInBundle): Check[] {
  const shown = [...article.querySelectorAll<HTMLElement>('.text .note')];
  return [
    ...sameIds('claim', shown, claims),
    ...claims.flatMap(({ id, text, tier, weight, status, source_ids: sources }) => {
      const note = shown.find((each) => each.id === id);
      if (note === undefined) return [];
      const linked = [...note.querySelectorAll('.note-foot > a[href^="#s"]')].map(textOf);
      const isRetracted = note.querySelector('.chip-retracted') !== null;
      return [
        ...equal('claim', `claim ${id}`, textOf(note.querySelector('.claim-text')), text, id),
        ...equal('claim', `the tier of claim ${id}`, textOf(note.querySelector('.tier')), tier, id),
        ...equal(
          'claim',
          `the weight of claim ${id}`,
          textOf(note.querySelector('.weight')),
          `weight ${weight}`,
          id,
        ),
        ...equal('claim', `what claim ${id} rests on`, linked.join(', '), sources.join(', '), id),
        ...equal(
          'claim',
          `whether claim ${id} stands`,
          isRetracted ? 'retracted' : 'active',
          status === 'retracted' ? 'retracted' : 'active',
          id,
        ),
      ];
    }),
  ];
}

function compareSources(article: HTMLElement, { sources }: SaidInBundle): Check[] {
  const shown = [...article.querySelectorAll<HTMLElement>('.source-list > li')];
  return [
    ...sameIds('source', shown, sources),
    ...sources.flatMap(({ id, title, url, quote, summary }) => {
      const item = shown.find((each) => each.id === id);
      if (item === undefined) return [];
      const text = (selector: string): string => textOf(item.querySelector(selector));
      return [
        ...equal('source', `the quote of ${id}`, text('blockquote'), marked(quote), id),
        ...equal('source', `the title of ${id}`, text('.source-title').slice(id.length), title, id),
        ...equal('source', `the summary of ${id}`, text('.source-summary'), summary, id),
        ...equal('source', `the address of ${id}`, text('.url'), url, id),
      ];
    }),
  ];
}

/** What an entry has in its head, who signed it, and its words, part by part. */
interface Wording {
  readonly head: readonly string[];
  readonly actor: string;
  readonly words: readonly string[];
}

/** Contributions, votes and entries of the thread. A page shows a part of many. */
function compareEntries(article: HTMLElement, bundle: SaidInBundle): Check[] {
  const said = new Map<string, Wording>([
    ...bundle.contributions.map((each) => [each.id, wordsOfContribution(each)] as const),
    ...bundle.discourse.map((each) => [each.id, wordsOfPost(each)] as const),
    ...votesIn(bundle).map((each) => [each.id, wordsOfVote(each)] as const),
  ]);
  const shown = [...article.querySelectorAll<HTMLElement>('.contribution-list > li')];
  return shown.flatMap((item, i) => {
    const { id } = item;
    const wording = said.get(id);
    if (wording === undefined) return [failed('post', `the bundle has no ${id}, which the page shows`, id)];
    if (shown.findIndex((each) => each.id === id) !== i) return [failed('post', `${id} is shown twice`, id)];
    const parts = [
      ...item.querySelectorAll(
        '.contribution-body, .quote blockquote, .quote cite, .quote figcaption > :last-child',
      ),
    ];
    const head = [...item.querySelectorAll('.note-head > *')].slice(1, 1 + wording.head.length);
    const checks = [
      equal('post', `what ${id} is`, head.map(textOf).join(' '), wording.head.join(' '), id),
      equal('post', `what ${id} says`, joined(parts.map(textOf)), joined(wording.words), id),
      equal('post', `who signed ${id}`, signedBy(item), wording.actor, id),
    ].flat();
    return checks.some(({ ok }) => !ok)
      ? checks.filter(({ ok }) => !ok)
      : [{ id: 'shown', ok: true, detail: id, at: id }];
  });
}

function wordsOfPost(post: ShownPost): Wording {
  return {
    head: [sayingText(post), post.target === '' ? 'on the article' : `on ${post.target}`],
    actor: post.actor,
    words: [
      marked(post.body),
      post.minimum_patch === null ? '' : `Smallest change asked for: ${post.minimum_patch}`,
    ],
  };
}

function wordsOfContribution({ kind, claim_id: claim, body, actor, tier }: ShownContribution): Wording {
  const source = kind === 'source' ? sourceIn(body) : undefined;
  return {
    head: [
      entryName({ what: kind, from: 'mirror' }),
      claim === '' ? 'on the article' : `on ${claim}`,
      ...(tier === undefined ? [] : [`as ${tier}`]),
    ],
    actor,
    words:
      source === undefined
        ? [body]
        : [source.quote, source.title ?? source.url, source.url, source.summary ?? ''],
  };
}

function wordsOfVote({ proposal, target, rationale, carries, actor }: ShownVote): Wording {
  const { at, into, tier } = carries ?? {};
  return {
    head: [entryName({ what: proposal, from: 'votes' }), /^[cd]\d+$/.test(target) ? target : 'the article'],
    actor,
    words: [
      at === undefined ? '' : `From the words “${at}” on`,
      into === undefined ? '' : `Into ${into}`,
      tier === undefined ? '' : `As ${tier}`,
      rationale,
    ],
  };
}

/** Bundles have votes as entries of their chain only. */
function votesIn({ chains }: SaidInBundle): readonly ShownVote[] {
  return Object.entries(chains)
    .filter(([name]) => name.endsWith('.votes'))
    .flatMap(([, items]) => items)
    .map(({ contents }) => contents?.content_sha?.value ?? contents?.content_sha?.replacement)
    .filter(isVote);
}

function isVote(value: unknown): value is ShownVote {
  return typeof value === 'object' && value !== null && 'proposal' in value && 'rationale' in value;
}

/** The typed name under an entry; those who decide on it are named after it. */
function signedBy(item: HTMLElement): string {
  for (const foot of item.querySelectorAll('.note-foot')) {
    const text = textOf(foot).trim();
    if (text.startsWith('Without a name')) return 'anonymous';
    if (text.startsWith('By “')) return textOf(foot.querySelector('bdi'));
  }
  return '';
}

function joined(parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n');
}

function sameIds(
  what: string,
  shown: readonly Element[],
  listed: readonly { readonly id: string }[],
): Check[] {
  const ids = new Set(listed.map(({ id }) => id));
  const here = shown.map(({ id }) => id);
  return [
    ...here
      .filter((id) => !ids.has(id))
      .map((id) => failed(what, `the bundle has no ${what} ${id}, which the page shows`, id)),
    ...here
      .filter((id, i) => here.indexOf(id) !== i)
      .map((id) => failed(what, `${what} ${id} is shown twice`, id)),
    ...listed
      .filter(({ id }) => !here.includes(id))
      .map(({ id }) => failed(what, `${what} ${id} is not shown`, id)),
  ];
}

/** As pages write texts with characters that are not seen. */
function marked(text: string): string {
  return splitInvisible(text)
    .map(({ text: visible, hidden }) => (hidden === undefined ? visible : `${visible}[${hidden}]`))
    .join('');
}

export function equal(id: string, what: string, shown: string, expected: string, at: string): Check[] {
  if (shown.trim() === expected.trim()) return [{ id: 'shown', ok: true, detail: what, at }];
  return [failed(id, `${what} does not verify: ${difference(shown.trim(), expected.trim())}`, at)];
}

export function textOf(element: Element | null): string {
  return element?.textContent ?? '';
}

const shownMax = 80;

export function brief(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  return plain.length > shownMax ? `${[...plain].slice(0, shownMax).join('')}…` : plain;
}

const beforeChars = 20;

/** Both texts from a little before the first character that differs. */
export function difference(shown: string, expected: string): string {
  let at = 0;
  while (at < expected.length && shown[at] === expected[at]) at++;
  const from = Math.max(0, at - beforeChars);
  return `the page shows “${brief(shown.slice(from))}” where the entries have “${brief(expected.slice(from))}”`;
}

export function failed(id: string, detail: string, at: string): Check {
  return { id, ok: false, detail, at };
}
