/** What a discussion is about (contract §8): the article, a block or a claim, its text, its state, and what a form about it compares. */
import type { Discussion } from '../../app/reads/discussion.ts';
import { bodyOf, type ArticleState } from '../../domain/articles/state.ts';
import { plainText } from '../../domain/retrieval/snippet.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { Chip } from './components/chip.tsx';
import type { SayFormProps } from './say-form.tsx';
import type { SeenState } from './say.ts';
import type { Site } from './site.ts';

export interface DiscussView {
  readonly slug: string;
  readonly discussion: Discussion;
}

/** How a target is called in a sentence. */
export function nameOf(target: string): string {
  if (target === '') return 'the article';
  return target.startsWith('c') ? `claim ${target}` : `block ${target}`;
}

/** The present text of a block or claim; undefined for the article, and for a block that left it. */
export function textOf(state: ArticleState, target: string): string | undefined {
  const div = state.divs.get(target);
  if (div !== undefined) return div.status === 'current' ? div.text : undefined;
  return state.claims.get(target)?.claim.text;
}

/** What a form about a target compares when it is sent. */
export function seenState(discussion: Discussion, target: string): SeenState {
  const { state, threadHead } = discussion;
  const textHash =
    target === ''
      ? sha256Hex(bodyOf(state))
      : (state.divs.get(target)?.vx_hash ?? state.claims.get(target)?.claim.hash ?? '');
  return { threadHead, textHash };
}

export function formProps(site: Site, { slug, discussion }: DiscussView, target: string): SayFormProps {
  return {
    site,
    slug,
    target,
    seen: seenState(discussion, target),
    wording: discussion.state.claims.get(target)?.claim.text,
  };
}

/** Whether a form about the target could be taken: not about a block or claim that left the article. */
export function isAnswerable({ state }: Discussion, target: string): boolean {
  if (target === '') return true;
  const claim = state.claims.get(target)?.claim;
  return claim === undefined ? state.divs.get(target)?.status === 'current' : claim.status === 'active';
}

const titleChars = 160;

/** A claim, or the beginning of a block without its markup, as the title of what is said about it. */
export function titleOf(state: ArticleState, target: string): string {
  const claim = state.claims.get(target)?.claim;
  const block = state.divs.get(target)?.text ?? '';
  if (claim === undefined && /^\s*\$\$/.test(block)) return `The formula in ${nameOf(target)}`;
  const text = claim?.text ?? plainText(block).trim();
  if (text === '') return nameOf(target);
  return text.length <= titleChars ? text : `${text.slice(0, titleChars).toWellFormed().trimEnd()}…`;
}

/** What is discussed, where it stands, and what became of it. */
export function TargetState({
  site,
  slug,
  state,
  target,
}: Readonly<{ site: Site; slug: string; state: ArticleState; target: string }>) {
  const claim = state.claims.get(target)?.claim;
  const status = claim?.status ?? state.divs.get(target)?.status;
  return (
    <>
      {nameOf(target)}
      {claim === undefined ? null : `, ${claim.tier}, version ${claim.version}`}{' '}
      {status === 'retracted' ? <Chip state="retracted" /> : null}
      {status === 'burned' || status === 'consolidated' ? 'has left the article' : null}{' '}
      <a href={status === 'current' ? `${site.to.article(slug)}#${target}` : site.to.div(slug, target)}>
        {status === 'current' ? 'Read it in its place' : 'Its page'}
      </a>
    </>
  );
}

/** The whole present text of what is discussed. */
export function TargetText({
  site,
  view: { slug, discussion },
  target,
}: Readonly<{ site: Site; view: DiscussView; target: string }>) {
  const { state } = discussion;
  const claim = state.claims.get(target)?.claim;
  const text = claim?.text ?? state.divs.get(target)?.text;
  if (text === undefined) return null;
  return (
    <blockquote class="discuss-text" dir="auto">
      <p>{claim?.status === 'retracted' ? <s>{text}</s> : text}</p>
      <footer class="thread-of">
        <TargetState site={site} slug={slug} state={state} target={target} />
      </footer>
    </blockquote>
  );
}
