/** What is one click away: machinery, raw objects, the long form. */
import type { ComponentChildren } from 'preact';

type Props = Readonly<{
  summary: ComponentChildren;
  open?: boolean;
  id?: string;
  /** It opens the form that the page is for: the summary looks like a button. */
  isAction?: boolean;
  children: ComponentChildren;
}>;

export function Disclosure({ summary, open = false, id, isAction = false, children }: Props) {
  return (
    <details class={isAction ? 'disclosure disclosure-action' : 'disclosure'} open={open} id={id}>
      <summary>{summary}</summary>
      <div class="disclosure-body">{children}</div>
    </details>
  );
}
