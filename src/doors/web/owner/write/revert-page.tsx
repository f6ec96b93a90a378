/** `/owner/a/<slug>/revert?rev=N` (contract §3 ARTICLE_REVERT, §8): what restoring an old text would change. */
import type { MatchedBlocks } from '../../../../domain/articles/match-blocks.ts';
import type { Fault } from '../../../../kernel/fault.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/text-field.tsx';
import { deskPage } from '../console-page.tsx';
import { Crumbs, Hidden, Refused } from './editor-parts.tsx';
import { BlockChanges } from './changes.tsx';
import { changeSummary, layoutOf, type OpenArticle, writePaths } from './desk.ts';

export interface RevertView {
  readonly article: OpenArticle;
  readonly rev: number;
  readonly after: MatchedBlocks;
  readonly note: string;
  readonly refusal?: Fault | undefined;
}

export function revertPage({ article, rev, after, note, refusal }: RevertView): string {
  const { context, state } = article;
  const { slug, title, version } = state.row;
  const paths = writePaths(context.site.root);
  const isSame = after.removed.length === 0 && after.blocks.every(({ change }) => change === 'kept');
  return deskPage(
    context,
    { title: `Restore revision ${rev} of ${title}`, here: 'articles' },
    <div class="narrow">
      <Crumbs context={context} article={{ slug, title }}>
        Restore
      </Crumbs>
      <h1>Restore revision {rev}</h1>
      <Refused refusal={refusal}>Nothing was restored.</Refused>
      {isSame ? (
        <p>The article reads as in revision {rev} already; nothing would change.</p>
      ) : (
        <>
          <p>
            The text of revision {rev} becomes revision {version + 1}. {changeSummary(after)}. Title, claims
            and metadata stay; no revision is lost.
          </p>
          <form method="post" action={paths.revert(slug)} class="evidence-form">
            <Hidden context={context} version={version} />
            <input type="hidden" name="rev" value={rev} />
            <TextField
              id="note"
              name="note"
              label="Why"
              hint="In a few words; it stands in the history."
              value={note}
              required
              maxLength={2000}
            />
            <p class="buttons">
              <Button kind="primary">Restore it</Button>
              <a href={paths.article(slug)}>Leave it as it is</a>
            </p>
          </form>
          <h2>What changes</h2>
          <BlockChanges before={layoutOf(state).pieces} after={after} />
        </>
      )}
    </div>,
  );
}
