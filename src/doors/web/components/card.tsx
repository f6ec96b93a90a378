/** A boxed piece of a page with a title of its own. */
import type { ComponentChildren } from 'preact';

type Props = Readonly<{
  title?: ComponentChildren;
  href?: string;
  /** The level of its heading; default 3. */
  level?: 2 | 3 | 4;
  foot?: ComponentChildren;
  children: ComponentChildren;
}>;

export function Card({ title, href, level = 3, foot, children }: Props) {
  const Heading = `h${level}` as const;
  return (
    <section class="card">
      {title === undefined ? null : (
        <Heading class="card-title">{href === undefined ? title : <a href={href}>{title}</a>}</Heading>
      )}
      {children}
      {foot === undefined ? null : <p class="card-foot">{foot}</p>}
    </section>
  );
}
