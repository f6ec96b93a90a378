/** A text field with suggestions: any text may be typed; the browser shows the suggestions that match. */
import type { ComponentChildren } from 'preact';
import { Field } from './field.tsx';

type Props = Readonly<{
  id: string;
  label: ComponentChildren;
  hint?: ComponentChildren;
  error?: ComponentChildren;
  suggestions: readonly { readonly value: string; readonly label?: string }[];
  name: string;
  value?: string;
  placeholder?: string;
  required?: boolean;
  maxLength?: number;
}>;

export function Combobox({ id, label, hint, error, suggestions, ...input }: Props) {
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      {(wired) => (
        <>
          <input type="text" autocomplete="off" {...input} {...wired} list={`${id}-suggestions`} />
          <datalist id={`${id}-suggestions`}>
            {suggestions.map(({ value, label: said }) => (
              <option key={value} value={value}>
                {said ?? value}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
