/** A merge before it is saved (contract §8): who changed what meanwhile, and each conflict as theirs, yours and a field. */
import type { LaterChange } from '../../../../app/reads/editing.ts';
import type { Piece } from '../../../../domain/articles/blocks-change.ts';
import { isConflict, type BlockConflict, type Merged } from '../../../../domain/articles/merge-blocks.ts';
import { wordDiff } from '../../../../represent/word-diff.ts';
import { Ago } from '../../components/ago.tsx';
import { Button } from '../../components/button.tsx';
import { DiffView } from '../../components/diff-view.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import { actorText, countText } from '../../format-text.ts';
import { plainText, wordsOf } from '../../plain-words.ts';
import { BlockChanges } from './changes.tsx';

export interface MergeView {
  /** The version that the merge was made from. */
  readonly from: number;
  readonly base: readonly Piece[];
  readonly merged: readonly Merged[];
  readonly changes: readonly LaterChange[];
  /** Who changed a block last, by its id. */
  readonly lastChange: ReadonlyMap<string, { readonly actor: string; readonly ts: string }>;
}

export function MergeNotice({ merge }: { readonly merge: MergeView }) {
  const conflicts = merge.merged.filter(isConflict).length;
  const others = merge.merged.filter(
    (each) => !isConflict(each) && (each.by === 'theirs' || each.by === 'both'),
  );
  const texts = new Map(merge.base.map(({ div_id, text }) => [div_id, text]));
  return (
    <section class="merge-notice" role="alert" aria-labelledby="merge-title">
      <h2 id="merge-title">The article changed while you wrote</h2>
      <p>
        <strong>Nothing was saved yet.</strong>{' '}
        {conflicts === 0
          ? 'Your text and the newer one are merged below. Read it and save again.'
          : `${countText(conflicts, 'block')} changed in both texts. Decide below, then save again.`}
      </p>
      <ul>
        {merge.changes.map(({ rev, actor, action, of, ts, note }) => (
          <li key={rev}>
            Revision {rev}: {actorText(actor)} {plainText(wordsOf({ kind: 'article', verb: action, of }))},{' '}
            <Ago iso={ts} />
            {note === null ? null : (
              <>
                : “<bdi>{note}</bdi>”
              </>
            )}
          </li>
        ))}
      </ul>
      {others.length === 0 ? null : (
        <Disclosure
          summary={`What was taken in of the newer text (${countText(others.length, 'block')})`}
          open
        >
          <BlockChanges
            before={merge.base}
            after={{
              removed: [],
              blocks: others.flatMap((each) =>
                isConflict(each)
                  ? []
                  : [
                      {
                        div_id: texts.has(each.div_id ?? '') ? each.div_id : undefined,
                        text: each.text,
                        change: texts.has(each.div_id ?? '') ? ('edited' as const) : ('made' as const),
                      },
                    ],
              ),
            }}
          />
        </Disclosure>
      )}
    </section>
  );
}

/** The text with its conflicts as fields; everything between them is carried along. */
export function Conflicts({ merge }: { readonly merge: MergeView }) {
  const parts = merge.merged.map((each) => (isConflict(each) ? null : each.text));
  return (
    <div class="conflicts">
      <input type="hidden" name="parts" value={JSON.stringify(parts)} />
      {merge.merged.map((each, i) =>
        isConflict(each) ? (
          <Conflict key={each.div_id} conflict={each} at={i} last={merge.lastChange.get(each.div_id)} />
        ) : null,
      )}
      <p>
        <Button name="act" value="preview" formnovalidate>
          Open the merged text in the editor
        </Button>
      </p>
    </div>
  );
}

function Conflict({
  conflict,
  at,
  last,
}: Readonly<{
  conflict: BlockConflict;
  at: number;
  last: { readonly actor: string; readonly ts: string } | undefined;
}>) {
  const { div_id: id, base, theirs, yours, proposal } = conflict;
  return (
    <fieldset class="conflict">
      <legend>
        Block {id}
        {last === undefined ? null : (
          <>
            , changed by {actorText(last.actor)} <Ago iso={last.ts} />
          </>
        )}
      </legend>
      <div class="conflict-sides">
        <Side name="Theirs" text={theirs} base={base} />
        <Side name="Yours" text={yours} base={base} />
        <div class="conflict-side">
          <label for={`part-${at}`}>Merged</label>
          <textarea id={`part-${at}`} name={`part.${at}`} rows={6} dir="auto" value={proposal} />
          <p class="field-hint">Empty removes the block.</p>
        </div>
      </div>
    </fieldset>
  );
}

function Side({ name, text, base }: Readonly<{ name: string; text: string | null; base: string }>) {
  return (
    <div class="conflict-side" data-text={text ?? ''}>
      <p class="conflict-name">{name}</p>
      {text === null ? (
        <p class="section-note">The block was removed.</p>
      ) : (
        <DiffView changes={wordDiff(base, text)} />
      )}
    </div>
  );
}
