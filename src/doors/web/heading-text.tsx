/** A heading or title where a page repeats it: formulas as such, the rest as it was written. */
import type { VNode } from 'preact';
import { findMath, texToMathML } from '../../represent/article-html-math.ts';

export function HeadingText({ title }: { readonly title: string }) {
  if (!/[$\\]/.test(title)) return <>{title}</>;
  const parts: VNode[] = [];
  let from = 0;
  for (let at = 0; at < title.length; at++) {
    const found = findMath(title, at);
    const written = found === undefined ? undefined : texToMathML(found.tex, false);
    if (found === undefined || written === undefined) continue;
    parts.push(<>{title.slice(from, at)}</>, <span key={at} dangerouslySetInnerHTML={{ __html: written }} />);
    from = found.end;
    at = found.end - 1;
  }
  return (
    <>
      {parts}
      {title.slice(from)}
    </>
  );
}
