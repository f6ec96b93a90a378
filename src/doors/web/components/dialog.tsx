/**
 * A native modal dialog and the button that opens it (`command`, `commandfor`; `web/site.ts` stands in where a
 * browser lacks them). What is in it must also be reachable without it.
 */
import type { ComponentChildren } from 'preact';

type Props = Readonly<{ id: string; title: ComponentChildren; children: ComponentChildren }>;

export function Dialog({ id, title, children }: Props) {
  return (
    <dialog class="dialog" id={id} aria-labelledby={`${id}-title`}>
      <form method="dialog" class="dialog-head">
        <h2 id={`${id}-title`}>{title}</h2>
        <button type="submit" class="dialog-close" aria-label="Close" />
      </form>
      {children}
    </dialog>
  );
}

export function DialogOpener({
  dialog,
  children,
}: Readonly<{ dialog: string; children: ComponentChildren }>) {
  return (
    <button type="button" class="button button-quiet" command="show-modal" commandfor={dialog}>
      {children}
    </button>
  );
}
