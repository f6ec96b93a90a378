/** What an edit would change, block by block, with the words marked: in a merge and before an old revision is restored. */
import type { Piece } from '../../../../domain/articles/blocks-change.ts';
import type { MatchedBlocks } from '../../../../domain/articles/match-blocks.ts';
import { wordDiff } from '../../../../represent/word-diff.ts';
import { DiffView } from '../../components/diff-view.tsx';
import { countText } from '../../format-text.ts';

interface Props {
  readonly before: readonly Piece[];
  readonly after: Pick<MatchedBlocks, 'removed'> & {
    readonly blocks: readonly Pick<MatchedBlocks['blocks'][number], 'div_id' | 'text' | 'change'>[];
  };
}

export function BlockChanges({ before, after }: Props) {
  const texts = new Map(before.map(({ div_id, text }) => [div_id, text]));
  const changed = after.blocks.filter(({ change }) => change !== 'kept');
  const kept = after.blocks.length - changed.length;
  return (
    <div class="block-changes">
      {changed.map(({ div_id: id, text, change }, i) => (
        <section key={id ?? i} class="block-change">
          <h3>
            {id === undefined ? 'New block' : `Block ${id}`}
            {change === 'moved' ? ', moved' : ''}
          </h3>
          <DiffView
            changes={
              change === 'moved'
                ? [{ op: 'same', text }]
                : wordDiff(id === undefined ? '' : (texts.get(id) ?? ''), text)
            }
          />
        </section>
      ))}
      {after.removed.map((id) => (
        <section key={id} class="block-change">
          <h3>Block {id}, removed</h3>
          <DiffView changes={[{ op: 'removed', text: texts.get(id) ?? '' }]} />
        </section>
      ))}
      {kept === 0 ? null : <p class="section-note">{countText(kept, 'block')} unchanged.</p>}
    </div>
  );
}
