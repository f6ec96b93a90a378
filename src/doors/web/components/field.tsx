/** A labelled control with its hint and its error below each other, wired by `aria-describedby`. */
import type { ComponentChildren, VNode } from 'preact';

/** What the control has to take over. */
export interface Wired {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: 'true';
}

type Props = Readonly<{
  id: string;
  label: ComponentChildren;
  hint?: ComponentChildren;
  /** What is wrong with the value and what to do about it. */
  error?: ComponentChildren;
  /** Fills the row of a form that has columns. */
  wide?: boolean;
  children: (wired: Wired) => VNode;
}>;

export function Field({ id, label, hint, error, wide = false, children }: Props) {
  const described = [...(hint == null ? [] : [`${id}-hint`]), ...(error == null ? [] : [`${id}-error`])];
  return (
    <div class={`field${wide ? ' field-wide' : ''}`}>
      <label for={id}>{label}</label>
      {children({
        id,
        ...(described.length === 0 ? {} : { 'aria-describedby': described.join(' ') }),
        ...(error == null ? {} : { 'aria-invalid': 'true' }),
      })}
      {hint == null ? null : (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error == null ? null : (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
