/** What is one click away: machinery, raw objects, the long form. */
import type { ComponentChildren } from 'preact';

type Props = Readonly<{
  summary: ComponentChildren;
  open?: boolean;
  id?: string;
  children: ComponentChildren;
}>;

export function Disclosure({ summary, open = false, id, children }: Props) {
  return (
    <details class="disclosure" open={open} id={id}>
      <summary>{summary}</summary>
      <div class="disclosure-body">{children}</div>
    </details>
  );
}
