/** A segmented choice: one of a few options, all of them visible; radio buttons to keyboard and screen reader. */
import type { ComponentChildren } from 'preact';

type Props = Readonly<{
  legend: ComponentChildren;
  name: string;
  value?: string | undefined;
  options: readonly { readonly value: string; readonly label: ComponentChildren }[];
  hint?: ComponentChildren;
}>;

export function Choice({ legend, name, value, options, hint }: Props) {
  return (
    <fieldset class="choice" {...(hint == null ? {} : { 'aria-describedby': `${name}-hint` })}>
      <legend>{legend}</legend>
      <div class="choice-options">
        {options.map((option) => (
          <label key={option.value}>
            <input type="radio" name={name} value={option.value} checked={option.value === value} />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
      {hint == null ? null : (
        <p class="field-hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
    </fieldset>
  );
}
