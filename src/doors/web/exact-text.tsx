/** Words that are kept exactly as they were: a page shows by name what readers would not see and be misled by. */
import { piecesSeen } from '../../kernel/unseen.ts';

export function ExactText({ text }: { readonly text: string }) {
  return (
    <>
      {piecesSeen(text).map(({ seen, unseen }, i) => (
        <>
          {seen}
          {unseen === undefined ? null : (
            <span key={i} class="unseen-mark" title="A character that is not seen stands here.">
              [{unseen}]
            </span>
          )}
        </>
      ))}
    </>
  );
}
