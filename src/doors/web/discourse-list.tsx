/** Discourse on an article and its parts, open entries first (contract §5, §8). */
import type { ArticleView, ShownPost } from '../../app/reads/article-view.ts';
import type { VoteRow } from '../../domain/discourse/thread.ts';
import type { Vote } from '../../model/discourse.ts';
import { Ago } from './components/ago.tsx';
import { Chip, StateWord } from './components/chip.tsx';
import { entryName, sayingText } from './said-words.ts';
import { ExactText, ReceiptLink } from './parts.tsx';
import type { Site } from './site.ts';
import { countText } from './format-text.ts';

interface DiscourseProps {
  readonly site: Site;
  readonly slug: string;
  readonly view: Pick<ArticleView, 'posts' | 'postCount' | 'votes'>;
}

const votesMax = 20;

export function Discourse({ site, slug, view: { posts, postCount, votes } }: DiscourseProps) {
  if (postCount === 0 && votes.length === 0) return null;
  return (
    <section class="discourse" aria-labelledby="discourse">
      <h2 id="discourse">Discussion</h2>
      <p class="section-note">
        {site.static === undefined ? 'Taking part needs no account. ' : ''}
        The article changes only when the owner changes it.{' '}
        {postCount > posts.length ? (
          <>
            {posts.length} of {countText(postCount, 'entry', 'entries')}, open ones first;{' '}
            <a href={site.to.part(slug, 'discourse')}>all as JSON</a>.
          </>
        ) : null}
      </p>
      <ol class="contribution-list">
        {posts.map((shown) => (
          <Entry key={shown.post.id} site={site} slug={slug} shown={shown} />
        ))}
      </ol>
      {votes.length === 0 ? null : <Votes site={site} slug={slug} votes={votes} />}
    </section>
  );
}

function Entry({
  site,
  slug,
  shown: { post, settled, open, textChanged },
}: Readonly<{ site: Site; slug: string; shown: ShownPost }>) {
  return (
    <li id={post.id}>
      <p class="note-head">
        <Chip state={open ? 'open' : 'settled'} />
        <span>{sayingText(post)}</span>
        {post.target === '' ? (
          <span>on the article</span>
        ) : (
          <a
            href={
              post.target.startsWith('c') ? site.to.claim(slug, post.target) : site.to.div(slug, post.target)
            }
          >
            on {post.target}
          </a>
        )}
        {textChanged ? <span>the text has changed since</span> : null}
        {post.confirms === null ? null : <a href={`#${post.confirms}`}>says so too</a>}
      </p>
      {post.body === '' ? null : (
        <p class="contribution-body" dir="auto">
          <ExactText text={post.body} />
        </p>
      )}
      {post.minimum_patch === null ? null : (
        <p class="contribution-body" dir="auto">
          Smallest change asked for: {post.minimum_patch}
        </p>
      )}
      {settled === null ? null : (
        <p class="note-foot" dir="auto">
          Settled <Ago iso={settled.decided_at} />: {settled.note}{' '}
          <ReceiptLink site={site} inv={settled.resolution}>
            Receipt
          </ReceiptLink>
        </p>
      )}
      <Signature site={site} actor={post.actor} ts={post.ts} receipt={post.receipt} />
    </li>
  );
}

/** The typed name, the time and the receipt. */
export function Signature({
  site,
  actor,
  ts,
  receipt,
}: Readonly<{ site: Site; actor: string; ts: string; receipt: string }>) {
  return (
    <p class="note-foot">
      {actor === 'anonymous' ? (
        'Without a name'
      ) : (
        <>
          By “<bdi>{actor}</bdi>”, a name as typed
        </>
      )}
      , <Ago iso={ts} />.{' '}
      <ReceiptLink site={site} inv={receipt}>
        Receipt
      </ReceiptLink>
    </p>
  );
}

/** What a ratified vote will execute. */
export function VoteDetails({ vote: { carries } }: { readonly vote: Pick<Vote, 'carries'> }) {
  const { at, into, tier } = carries ?? {};
  return (
    <>
      {at === undefined ? null : (
        <p class="contribution-body" dir="auto">
          From the words “<bdi>{at}</bdi>” on
        </p>
      )}
      {into === undefined ? null : <p class="contribution-body">Into {into}</p>}
      {tier === undefined ? null : <p class="contribution-body">As {tier}</p>}
    </>
  );
}

function Votes({ site, slug, votes }: Readonly<{ site: Site; slug: string; votes: readonly VoteRow[] }>) {
  return (
    <>
      <h3 id="votes">Votes</h3>
      <ol class="contribution-list">
        {votes.slice(0, votesMax).map(({ id, vote, status, decision }) => (
          <li key={id} id={id}>
            <p class="note-head">
              <StateWord word={decision ?? status} />
              <span>{entryName({ what: vote.proposal, from: 'votes' })}</span>
              {/^[cd]\d+$/.test(vote.target) ? (
                <a href={site.to.div(slug, vote.target)}>{vote.target}</a>
              ) : (
                <span>the article</span>
              )}
            </p>
            <VoteDetails vote={vote} />
            <p class="contribution-body" dir="auto">
              {vote.rationale}
            </p>
            <Signature site={site} actor={vote.actor} ts={vote.ts} receipt={vote.receipt} />
          </li>
        ))}
      </ol>
      {votes.length > votesMax ? (
        <p class="section-note">
          The newest {votesMax} of {votes.length}; <a href={site.to.part(slug, 'votes')}>all as JSON</a>.
        </p>
      ) : null}
    </>
  );
}
