/** The blocks of a comparison (contract §8): rendered, with whole words marked, in one text or side by side. */
import { plainText } from '../../domain/retrieval/snippet.ts';
import { markedHtml, wholeMarked } from '../../represent/marked-html.ts';
import type { WordChange } from '../../represent/word-diff.ts';
import { finishHtml } from './body-markup.ts';
import { languageOf } from './format-text.ts';
import { DiffView } from './components/diff-view.tsx';
import { Disclosure } from './components/disclosure.tsx';
import type { Site } from './site.ts';
import { type CompareView, type Block, Head } from './compared-parts.tsx';
import { excerptOf } from '../../kernel/text.ts';

export function ComparedBlock({
  site,
  view,
  block,
}: Readonly<{ site: Site; view: CompareView; block: Block }>) {
  const { id, change, heading_path: path } = block;
  return (
    <section class="change" id={`block-${id}`}>
      <Head site={site} view={view} id={id} name="Block" word={change} change={block} path={path} />
      {change === 'moved' ? (
        <p class="section-note" dir="auto">
          “{excerptOf(plainText(block.after ?? ''), excerptChars)}” stands in another place; its text is the
          same.
        </p>
      ) : (
        <BlockText site={site} view={view} block={block} />
      )}
    </section>
  );
}

const excerptChars = 120;

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

export function Source({ changes }: { readonly changes: readonly WordChange[] }) {
  return (
    <div class="diff-source">
      <DiffView changes={changes} />
    </div>
  );
}
