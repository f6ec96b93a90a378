/**
 * `/a/<slug>/history?from=&to=` (contract §8): two revisions compared. Blocks are shown as they read, with whole words
 * marked; claims, sources and metadata as objects that changed; and beside each who did it, why, and the receipt.
 */
import type { RevisionComparison } from '../../model/history.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { links } from '../../domain/links.ts';
import { plainText } from '../../domain/retrieval/snippet.ts';
import { markedHtml, wholeMarked } from '../../represent/marked-html.ts';
import type { WordChange } from '../../represent/word-diff.ts';
import { finishHtml } from './body-markup.ts';
import { countText, languageOf } from './format-text.ts';
import { Ago } from './components/ago.tsx';
import { DiffView } from './components/diff-view.tsx';
import { Disclosure } from './components/disclosure.tsx';
import { Quote } from './components/quote.tsx';
import { Tabs } from './components/tabs.tsx';
import { Actor, ActWords, ContributedLink, ReceiptLink } from './parts.tsx';
import { typedName, wordsOf } from './plain-words.ts';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';

export interface CompareView extends RevisionComparison {
  readonly title: string;
  readonly newest: number;
  readonly oldest: number;
  /** Rendered blocks by id; a block that could not be rendered has none. */
  readonly rendered: { readonly before: Rendered; readonly after: Rendered };
  readonly isSideBySide: boolean;
}
type Rendered = ReadonlyMap<string, string>;
type Block = RevisionComparison['blocks'][number];
type Step = RevisionComparison['steps'][number];

export function comparePage(site: Site, view: CompareView): string {
  const { slug, title, from, to, steps, blocks, claims, sources, metadata } = view;
  const isSame = blocks.length + claims.length + sources.length + metadata.length === 0;
  return renderPage(
    site,
    {
      title: `Revisions ${from.rev} and ${to.rev} of ${title} compared`,
      canonical: `${links.article(site.service.base, slug)}/history`,
      unlisted: true,
      register: 'working',
    },
    <article class={`comparison${view.isSideBySide ? ' in-sides' : ''}`}>
      <h1>
        Changes to{' '}
        <cite dir="auto">
          <a href={site.to.article(slug)}>{title}</a>
        </cite>
      </h1>
      <p class="lead">
        From <Revision site={site} slug={slug} end={from} /> to <Revision site={site} slug={slug} end={to} />
        {isSame ? '.' : `: ${summary(view)}.`}
      </p>
      <Turns site={site} view={view} />
      {steps.length === 0 ? null : <Steps site={site} slug={slug} steps={steps} />}
      {isSame ? (
        <p>
          The two revisions read the same, with the same claims, sources and metadata.
          {from.rev === to.rev ? ' Choose two different ones in the history.' : ''}
        </p>
      ) : null}
      {blocks.length === 0 ? null : (
        <section aria-labelledby="text">
          <h2 id="text">Text</h2>
          {blocks.map((block) => (
            <ComparedBlock key={block.id} site={site} view={view} block={block} />
          ))}
        </section>
      )}
      {claims.length === 0 ? null : (
        <section aria-labelledby="claims">
          <h2 id="claims">Claims</h2>
          {claims.map((claim) => (
            <ComparedClaim key={claim.id} site={site} view={view} claim={claim} />
          ))}
        </section>
      )}
      {sources.length === 0 ? null : (
        <section aria-labelledby="sources">
          <h2 id="sources">Sources</h2>
          {sources.map((source) => (
            <ComparedSource key={source.id} site={site} view={view} source={source} />
          ))}
        </section>
      )}
      {metadata.length === 0 ? null : <Metadata metadata={metadata} />}
    </article>,
  );
}

/** “2 blocks changed, 1 added; 1 claim”. */
function summary({ blocks, claims, sources, metadata }: CompareView): string {
  const count = (change: Block['change']): number => blocks.filter((each) => each.change === change).length;
  const kinds = (['changed', 'added', 'removed', 'moved'] as const).filter((change) => count(change) > 0);
  return [
    ...kinds.map((change, i) => `${i === 0 ? countText(count(change), 'block') : count(change)} ${change}`),
    ...(claims.length === 0 ? [] : [countText(claims.length, 'claim')]),
    ...(sources.length === 0 ? [] : [countText(sources.length, 'source')]),
    ...(metadata.length === 0 ? [] : ['title, tags or status']),
  ].join(', ');
}

function Revision({
  site,
  slug,
  end: { rev, ts },
}: Readonly<{ site: Site; slug: string; end: RevisionComparison['from'] }>) {
  return (
    <>
      <a href={`${site.to.article(slug)}?rev=${rev}`}>revision {rev}</a> (<Ago iso={ts} />)
    </>
  );
}

function Turns({ site, view }: Readonly<{ site: Site; view: CompareView }>) {
  const { slug, from, to, newest, oldest, isSideBySide } = view;
  const history = site.to.history(slug);
  const pair = (one: number, other: number, sides: boolean): string =>
    `${history}?from=${one}&to=${other}${sides ? '&view=sides' : ''}`;
  return (
    <div class="compare-turns">
      <Tabs
        label="How to show the changes"
        tabs={[
          { name: 'In one text', href: pair(from.rev, to.rev, false), current: !isSideBySide },
          { name: 'Side by side', href: pair(from.rev, to.rev, true), current: isSideBySide },
        ]}
      />
      <nav class="turn" aria-label="Other revisions">
        {from.rev > oldest ? (
          <a href={pair(from.rev - 1, from.rev, isSideBySide)} rel="prev">
            ← Revision {from.rev}
          </a>
        ) : null}
        <a href={history}>All revisions</a>
        {from.rev < newest ? (
          <a href={`${site.root}/owner/a/${slug}/revert?rev=${from.rev}`} rel="nofollow">
            Revert to revision {from.rev} (owner)
          </a>
        ) : null}
        {to.rev < newest ? (
          <a href={pair(to.rev, to.rev + 1, isSideBySide)} rel="next">
            Revision {to.rev + 1} →
          </a>
        ) : null}
      </nav>
    </div>
  );
}

const stepsShown = 20;

/** What was done between the two, newest first, with the reasons given. */
function Steps({ site, slug, steps }: Readonly<{ site: Site; slug: string; steps: readonly Step[] }>) {
  const newest = steps.toReversed();
  return (
    <section aria-labelledby="steps" class="steps">
      <h2 id="steps">What was done</h2>
      <ol reversed start={newest[0]?.rev ?? 1}>
        {newest.slice(0, stepsShown).map((step) => (
          <li key={step.rev} value={step.rev}>
            <StepWords site={site} slug={slug} step={step} />
          </li>
        ))}
      </ol>
      {newest.length > stepsShown ? (
        <p class="section-note">
          And {countText(newest.length - stepsShown, 'earlier revision')}, all in the{' '}
          <a href={site.to.history(slug)}>history</a>.
        </p>
      ) : null}
    </section>
  );
}

function StepWords({ site, slug, step }: Readonly<{ site: Site; slug: string; step: Step }>) {
  const { ts, actor, action, of, note, receipt, contribution } = step;
  return (
    <>
      <Actor site={site} actor={actor} />{' '}
      <ActWords
        site={site}
        slug={slug}
        words={wordsOf({ kind: 'article', verb: action, of, detail: contribution?.kind })}
      />
      {contribution === undefined || contribution.actor === '' ? null : (
        <>
          {' '}
          by <bdi>{typedName(contribution.actor)}</bdi>
        </>
      )}
      , <Ago iso={ts} />
      {receipt === null ? null : (
        <>
          {' · '}
          <ReceiptLink site={site} inv={receipt}>
            receipt
          </ReceiptLink>
        </>
      )}
      {note === undefined ? null : (
        <q class="reason" dir="auto">
          {note}
        </q>
      )}
    </>
  );
}

/** Who changed an object last, and the receipt of that. */
function Credit({
  site,
  view,
  rev,
  receipt,
}: Readonly<{ site: Site; view: CompareView; rev: number | null; receipt: string | null }>) {
  const step = view.steps.find((each) => each.rev === rev);
  if (step === undefined) return null;
  const { contribution } = step;
  return (
    <span class="aside">
      by <Actor site={site} actor={step.actor} /> in revision {step.rev}
      {contribution === undefined ? null : (
        <>
          , from {kinds[contribution.kind] ?? 'a contribution'}
          {contribution.actor === '' ? null : (
            <>
              {' '}
              by <bdi>{typedName(contribution.actor)}</bdi>
            </>
          )}
        </>
      )}
      {receipt === null ? null : (
        <>
          {' · '}
          <ReceiptLink site={site} inv={receipt}>
            receipt
          </ReceiptLink>
        </>
      )}
    </span>
  );
}

const kinds: Readonly<Record<string, string>> = {
  repair: 'the repair',
  compression: 'the compression',
  source: 'the source',
};

function Head({
  site,
  view,
  id,
  name,
  word,
  change,
  path = [],
}: Readonly<{
  site: Site;
  view: CompareView;
  id: string;
  name: string;
  word: string;
  change: Pick<Block, 'change' | 'rev' | 'receipt'>;
  path?: readonly string[];
}>) {
  const { slug } = view;
  // Blocks, claims and sources all have a page.
  const href = site.to.div(slug, id);
  return (
    <header class="change-head">
      <h3>
        <a href={href}>
          {name} {id}
        </a>{' '}
        <span class={`change-word change-${change.change}`}>{word}</span>
      </h3>
      {path.length === 0 ? null : (
        <p class="aside path" dir="auto">
          {path.join(' › ')}
        </p>
      )}
      <p class="credit">
        <Credit site={site} view={view} rev={change.rev} receipt={change.receipt} />
      </p>
    </header>
  );
}

function ComparedBlock({ site, view, block }: Readonly<{ site: Site; view: CompareView; block: Block }>) {
  const { id, change, heading_path: path } = block;
  return (
    <section class="change" id={`block-${id}`}>
      <Head site={site} view={view} id={id} name="Block" word={change} change={block} path={path} />
      {change === 'moved' ? (
        <p class="section-note" dir="auto">
          “{excerptOf(block.after ?? '')}” stands in another place; its text is the same.
        </p>
      ) : (
        <BlockText site={site} view={view} block={block} />
      )}
    </section>
  );
}

const excerptChars = 120;

function excerptOf(markdown: string): string {
  const plain = plainText(markdown);
  return plain.length > excerptChars ? `${plain.slice(0, excerptChars).toWellFormed()}…` : plain;
}

function BlockText({ site, view, block }: Readonly<{ site: Site; view: CompareView; block: Block }>) {
  const { id, before, after, diff } = block;
  const [was, is] = [view.rendered.before.get(id), view.rendered.after.get(id)];
  const finish = (html: string): string =>
    finishHtml(asText(html, site.to.article(view.slug)), site.service.base);
  const lang = languageOf(after ?? before ?? '');
  if (before === null || after === null) {
    const [html, text, mark] = before === null ? [is, after, 'ins' as const] : [was, before, 'del' as const];
    return html === undefined || html === '' ? (
      <Source changes={[{ op: mark === 'ins' ? 'added' : 'removed', text: text ?? '' }]} />
    ) : (
      <Rendering html={finish(wholeMarked(html, mark))} lang={lang} />
    );
  }
  if (was === undefined || is === undefined) return <Source changes={diff} />;
  const marked = markedHtml(was, is);
  return (
    <>
      {view.isSideBySide ? (
        <div class="diff diff-sides">
          <div class="diff-side">
            <p class="diff-name">Revision {view.from.rev}</p>
            <Rendering html={finish(marked.before)} lang={lang} />
          </div>
          <div class="diff-side">
            <p class="diff-name">Revision {view.to.rev}</p>
            <Rendering html={finish(marked.after)} lang={lang} />
          </div>
        </div>
      ) : (
        <Rendering html={finish(marked.inline)} lang={lang} />
      )}
      {marked.differs ? (
        <Disclosure summary="As Markdown">
          <Source changes={diff} />
        </Disclosure>
      ) : (
        <>
          <p class="section-note">The words are the same; the Markdown differs:</p>
          <Source changes={diff} />
        </>
      )}
    </>
  );
}

function Rendering({ html, lang }: Readonly<{ html: string; lang: string | undefined }>) {
  return <div class="rendered" dir="auto" lang={lang} dangerouslySetInnerHTML={{ __html: html }} />;
}

/** Headings of an article are none of this page, and their names lead to the article. */
function asText(html: string, article: string): string {
  return html
    .replace(/<h([1-6])(?=[\s>])/g, '<div class="heading heading-$1"')
    .replace(/<\/h[1-6]>/g, '</div>')
    .replace(/ href="#/g, ` href="${article}#`);
}

function Source({ changes }: { readonly changes: readonly WordChange[] }) {
  return (
    <div class="diff-source">
      <DiffView changes={changes} />
    </div>
  );
}

type ClaimChange = RevisionComparison['claims'][number];

const claimWords: Readonly<Record<string, string>> = {
  tier: 'Tier',
  weight: 'Weight',
  source_ids: 'Sources',
  falsifier: 'What would show it wrong',
  who_claims: 'Who claims it',
  slot: 'Slot',
  section: 'Section',
  status: 'Status',
};

function ComparedClaim({
  site,
  view,
  claim,
}: Readonly<{ site: Site; view: CompareView; claim: ClaimChange }>) {
  const { id, change, members, before, after, diff } = claim;
  const isRetracted = after?.status === 'retracted';
  const word =
    change === 'changed' && members.includes('text')
      ? 'reworded'
      : change === 'added' && isRetracted
        ? 'added and retracted'
        : change;
  const text = after?.text ?? before?.text ?? '';
  const others = members.filter((name) => name !== 'text');
  return (
    <section class="change" id={`claim-${id}`}>
      <Head site={site} view={view} id={id} name="Claim" word={word} change={claim} />
      <DiffView
        changes={
          diff.length > 0
            ? diff
            : [{ op: isRetracted ? 'removed' : change === 'added' ? 'added' : 'same', text }]
        }
        layout={view.isSideBySide && diff.length > 0 ? 'sides' : 'inline'}
        before={`Revision ${view.from.rev}`}
        after={`Revision ${view.to.rev}`}
        lang={languageOf(text)}
      />
      {others.length === 0 || before === null || after === null ? null : (
        <dl class="facts">
          {others.map((name) => (
            <div key={name}>
              <dt>{claimWords[name] ?? name}</dt>
              <dd>
                <Values before={before[name as 'tier']} after={after[name as 'tier']} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

function ComparedSource({
  site,
  view,
  source,
}: Readonly<{ site: Site; view: CompareView; source: RevisionComparison['sources'][number] }>) {
  const { id, change, after } = source;
  return (
    <section class="change" id={`source-${id}`}>
      <Head site={site} view={view} id={id} name="Source" word={change} change={source} />
      {after === null ? null : (
        <>
          <p dir="auto">
            <ContributedLink href={after.url}>{after.title === '' ? after.url : after.title}</ContributedLink>
          </p>
          {after.quote === '' ? null : <Quote text={after.quote} lang={languageOf(after.quote)} />}
        </>
      )}
    </section>
  );
}

const metadataWords: Readonly<Record<string, string>> = {
  title: 'Title',
  status: 'Status',
  hero: 'Lead image',
  images: 'Images',
  style: 'Style',
  tags: 'Tags',
  category: 'Category',
  model: 'Model',
  embeds: 'Embedded pages',
  widgets: 'Widgets',
  home: 'On the first page',
  register: 'Register',
  traversal: 'Place in a series',
  extra: 'Further data',
};

function Metadata({ metadata }: Pick<CompareView, 'metadata'>) {
  return (
    <section aria-labelledby="metadata">
      <h2 id="metadata">Title, tags and status</h2>
      <dl class="facts">
        {metadata.map(({ name, before, after }) => (
          <div key={name}>
            <dt>{metadataWords[name] ?? name}</dt>
            <dd>
              <Values before={before} after={after} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Values({ before, after }: Readonly<{ before: JsonValue; after: JsonValue }>) {
  const [was, is] = [valueText(before), valueText(after)];
  return (
    <span class="diff" dir="auto">
      {was === '' ? null : <del>{was}</del>} {is === '' ? null : <ins>{is}</ins>}
    </span>
  );
}

function valueText(value: JsonValue | undefined): string {
  if (value == null || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueText).join(', ');
  const members = Object.entries(value).filter(([, each]) => each !== null);
  return members.length === 0
    ? 'none'
    : members.map(([name, each]) => `${name}: ${valueText(each)}`).join(', ');
}
