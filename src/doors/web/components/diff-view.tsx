/** Two texts compared by words: in one text, or side by side where there is room. */
import type { WordChange } from '../../../represent/word-diff.ts';

type Props = Readonly<{
  changes: readonly WordChange[];
  layout?: 'inline' | 'sides';
  /** What the two sides are called. */
  before?: string;
  after?: string;
  lang?: string | undefined;
}>;

export function DiffView({ changes, layout = 'inline', before = 'Before', after = 'After', lang }: Props) {
  if (layout === 'inline')
    return (
      <div class="diff" dir="auto" lang={lang}>
        <Marked changes={changes} />
      </div>
    );
  return (
    <div class="diff diff-sides">
      {(
        [
          [before, 'added'],
          [after, 'removed'],
        ] as const
      ).map(([name, without]) => (
        <div key={name} class="diff-side">
          <p class="diff-name">{name}</p>
          <div class="diff-text" dir="auto" lang={lang}>
            <Marked changes={changes.filter(({ op }) => op !== without)} />
          </div>
        </div>
      ))}
    </div>
  );
}

function Marked({ changes }: Pick<Props, 'changes'>) {
  return (
    <>
      {changes.map(({ op, text }, i) =>
        op === 'same' ? text : op === 'added' ? <ins key={i}>{text}</ins> : <del key={i}>{text}</del>,
      )}
    </>
  );
}
