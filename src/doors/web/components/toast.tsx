/** What has just happened, at the top of the page that follows a form: done, refused, or something to know. */
import type { ComponentChildren } from 'preact';

type Props = Readonly<{ kind?: 'done' | 'refused' | 'note'; children: ComponentChildren }>;

export function Toast({ kind = 'note', children }: Props) {
  return (
    <div class={`toast toast-${kind}`} role={kind === 'refused' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}
