/**
 * `/owner/a/<slug>` (contract §8): an article as those who write it read it, drafts and closed workspaces included, with
 * everything that can be done with it.
 */
import type { LaterChange } from '../../../../app/reads/editing.ts';
import { sourcesOf } from '../../../../domain/articles/state.ts';
import type { Fault } from '../../../../kernel/fault.ts';
import type { QuestionNode } from '../../../../model/question.ts';
import { Ago } from '../../components/ago.tsx';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import { Quote } from '../../components/quote.tsx';
import { actorText, countText } from '../../format-text.ts';
import { ContributedLink } from '../../parts.tsx';
import { plainText, wordsOf } from '../../plain-words.ts';
import { AskSection } from '../ask-page.tsx';
import { addressOf, deskPage, sections } from '../console-page.tsx';
import { writePaths, type OpenArticle } from './desk.ts';
import { Crumbs, Hidden, Refused } from './editor-parts.tsx';
import { type Known, MetaForm, type MetaView } from './meta-form.tsx';
import { Preview, type PreviewView } from './preview.tsx';

export interface DeskArticleView {
  readonly article: OpenArticle;
  readonly preview: PreviewView;
  /** Asked of it so far, newest first. */
  readonly questions: readonly QuestionNode[];
  /** The newest revisions, newest first. */
  readonly revisions: readonly LaterChange[];
  readonly meta: MetaView;
  readonly known: Known;
  /** The metadata was refused. */
  readonly refusal?: Fault | undefined;
}

export function deskArticlePage(view: DeskArticleView): string {
  const { article, preview, revisions } = view;
  const { context, state } = article;
  const { row } = state;
  const { site } = context;
  const paths = writePaths(site.root);
  const may = (key: string): boolean => context.may(key, row.slug);
  const claims = [...state.claims.values()].filter(({ claim }) => claim.status === 'active').length;
  const isPublic = row.status !== 'draft' && context.isOpen;
  const saved = context.notice !== undefined && 'done' in context.notice;
  return deskPage(
    context,
    { title: row.title, here: 'articles', scripts: ['desk-article'] },
    <div class="desk-article" data-slug={row.slug} data-saved={saved ? '1' : undefined}>
      <Crumbs context={context}>
        <bdi>{row.slug}</bdi>
      </Crumbs>
      <div class="desk-head">
        <h1 dir="auto">{row.title}</h1>
        <div class="desk-actions">
          {may('ARTICLE_REWRITE') ? (
            <Button kind="primary" href={paths.edit(row.slug)} aria-keyshortcuts="e">
              Edit
            </Button>
          ) : null}
          {may('ARTICLE_META') ? <StatusForms article={article} /> : null}
        </div>
      </div>
      <p class="desk-facts">
        <Chip state={row.status} /> Version {row.version}, last change <Ago iso={row.updated_at} />.
        {isPublic ? (
          <>
            {' '}
            <a href={site.to.article(row.slug)}>Public page</a> ·{' '}
            <a href={site.to.history(row.slug)}>History</a> ·{' '}
            <a href={`${site.to.article(row.slug)}/discuss`}>Discussion</a>
          </>
        ) : null}
        {context.session.credential.kind === 'owner' ? (
          <>
            {' · '}
            <a
              href={`${addressOf(context, sections.access.path)}${context.workspace === 'main' ? '?' : '&'}article=${row.slug}#mint`}
            >
              Share
            </a>
          </>
        ) : null}
      </p>
      <Refused refusal={view.refusal} said={false} />
      {may('ARTICLE_META') ? (
        <MetaForm article={article} meta={view.meta} known={view.known} refusal={view.refusal} />
      ) : null}
      <div class="desk-text">
        <Preview
          view={preview}
          paths={paths}
          hasEdit={may('ARTICLE_REWRITE') || may('VOXEL_EDIT')}
          mayClaim={may('CLAIM_REPAIR')}
        />
      </div>
      <section aria-labelledby="claims-title" class="desk-section">
        <h2 id="claims-title">Claims and sources</h2>
        <p>
          {claims + state.sources.size === 0
            ? 'None yet. A claim is one sentence of the text that can be shown wrong; it rests on the exact words of a source.'
            : `${countText(claims, 'claim')} and ${countText(state.sources.size, 'source')}.`}
        </p>
        <p class="desk-tools">
          {may('CLAIM_POST') ? <a href={paths.claim(row.slug)}>Make a claim</a> : null}
          {may('SOURCE_POST') ? <a href={paths.source(row.slug)}>Add a source</a> : null}
        </p>
        <SourceQuotes article={article} />
      </section>
      <AskSection article={article} questions={view.questions} />
      <section aria-labelledby="revisions-title" class="desk-section">
        <h2 id="revisions-title">Revisions</h2>
        <ol class="desk-revisions" reversed>
          {revisions.map(({ rev, ts, actor, action, of, note }) => (
            <li key={rev} value={rev}>
              {actorText(actor)} {plainText(wordsOf({ kind: 'article', verb: action, of }))}, <Ago iso={ts} />
              {note === null ? null : (
                <>
                  : “<bdi>{note}</bdi>”
                </>
              )}
              {rev === row.version || !may('ARTICLE_REVERT') ? null : (
                <>
                  {' · '}
                  <a href={paths.revert(row.slug, rev)} aria-label={`Restore revision ${rev}`}>
                    Restore
                  </a>
                </>
              )}
            </li>
          ))}
        </ol>
      </section>
    </div>,
  );
}

/** The changes of status that may follow. */
function StatusForms({ article: { context, state } }: { readonly article: OpenArticle }) {
  const { slug, status, version } = state.row;
  const [next, label] = status === 'published' ? ['archived', 'Archive'] : ['published', 'Publish'];
  return (
    <form method="post" action={writePaths(context.site.root).meta(slug)} class="inline-form">
      <Hidden context={context} version={version} />
      <button
        type="submit"
        name="status"
        value={next}
        class={`button button-${status === 'draft' ? 'primary' : 'quiet'}`}
      >
        {label}
      </button>
    </form>
  );
}

function SourceQuotes({ article: { state } }: { readonly article: OpenArticle }) {
  const sources = sourcesOf(state);
  if (sources.length === 0) return null;
  return (
    <Disclosure summary={countText(sources.length, 'source')}>
      {sources.map(({ source }) => (
        <Quote
          key={source.id}
          text={source.quote}
          id={source.id}
          source={<ContributedLink href={source.url}>{source.title}</ContributedLink>}
        />
      ))}
    </Disclosure>
  );
}
