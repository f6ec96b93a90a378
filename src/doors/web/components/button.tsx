/** A button, or a link that looks like one: primary once on a page, quiet for the rest, danger for what destroys. */
import type { ComponentChildren } from 'preact';

interface Look {
  readonly kind?: 'primary' | 'quiet' | 'danger';
  readonly children: ComponentChildren;
  readonly id?: string;
  readonly 'aria-label'?: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-keyshortcuts'?: string;
}

interface Link extends Look {
  readonly href: string;
  readonly rel?: string;
}

interface Control extends Look {
  readonly href?: undefined;
  readonly type?: 'submit' | 'button' | 'reset';
  readonly name?: string;
  readonly value?: string;
  /** The id of a form that it is not in. */
  readonly form?: string;
  readonly formaction?: string;
  readonly formnovalidate?: boolean;
  readonly disabled?: boolean;
}

export function Button(props: Link | Control) {
  if (props.href !== undefined) {
    const { kind = 'quiet', children, ...rest } = props;
    return (
      <a {...rest} class={`button button-${kind}`}>
        {children}
      </a>
    );
  }
  const { kind = 'quiet', children, href: _none, ...rest } = props;
  return (
    <button type="submit" {...rest} class={`button button-${kind}`}>
      {children}
    </button>
  );
}
