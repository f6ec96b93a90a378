/** A field whose control is a line of text, or several lines where `rows` is given. The browser offers no old entries. */
import type { ComponentChildren } from 'preact';
import { Field } from './field.tsx';

export type TextFieldProps = Readonly<{
  id: string;
  name: string;
  label: ComponentChildren;
  hint?: ComponentChildren;
  error?: ComponentChildren;
  /** Fills the row of a form that has columns. */
  wide?: boolean;
  value: string;
  rows?: number;
  /** An address is written from left to right in every language. */
  type?: 'text' | 'url';
  required?: boolean;
  autofocus?: boolean;
  maxLength?: number;
  placeholder?: string;
  pattern?: string;
  inputmode?: 'numeric';
  /** Any text may be typed; the browser shows those that match. */
  suggestions?: readonly string[];
}>;

export function TextField({
  id,
  label,
  hint,
  error,
  wide = false,
  rows,
  type = 'text',
  suggestions,
  ...input
}: TextFieldProps) {
  return (
    <Field id={id} label={label} hint={hint} error={error} wide={wide}>
      {(wired) => {
        if (rows !== undefined) return <textarea dir="auto" rows={rows} {...input} {...wired} />;
        if (type === 'url') return <input type="url" autocomplete="off" {...input} {...wired} />;
        const text = { ...input, ...wired, autocomplete: 'off', dir: 'auto' } as const;
        if (suggestions === undefined) return <input type="text" {...text} />;
        return (
          <>
            <input type="text" list={`${id}-suggestions`} {...text} />
            <datalist id={`${id}-suggestions`}>
              {suggestions.map((each) => (
                <option key={each} value={each} />
              ))}
            </datalist>
          </>
        );
      }}
    </Field>
  );
}
