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
  maxLength?: number;
  placeholder?: string;
  pattern?: string;
  inputmode?: 'numeric';
}>;

export function TextField({
  id,
  label,
  hint,
  error,
  wide = false,
  rows,
  type = 'text',
  ...input
}: TextFieldProps) {
  return (
    <Field id={id} label={label} hint={hint} error={error} wide={wide}>
      {(wired) => {
        if (rows !== undefined) return <textarea dir="auto" rows={rows} {...input} {...wired} />;
        return type === 'url' ? (
          <input type="url" autocomplete="off" {...input} {...wired} />
        ) : (
          <input type="text" autocomplete="off" dir="auto" {...input} {...wired} />
        );
      }}
    </Field>
  );
}
