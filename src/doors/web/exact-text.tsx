/** Words that are kept exactly as they were: a page shows by name what readers would not see and be misled by. */
import { splitInvisible } from '../../kernel/invisible-characters.ts';

export function ExactText({ text }: { readonly text: string }) {
  return (
    <>
      {splitInvisible(text).map(({ text: visible, hidden }, i) => (
        <>
          {visible}
          {hidden === undefined ? null : (
            <span key={i} class="unseen-mark" title="A character that is not seen stands here.">
              [{hidden}]
            </span>
          )}
        </>
      ))}
    </>
  );
}
