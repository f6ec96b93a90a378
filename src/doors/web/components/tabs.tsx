/** Views of one thing as links: each has its own address, the current one is marked. */
import type { ComponentChildren } from 'preact';

type Props = Readonly<{
  /** Names the navigation; unlike every other on the page. */
  label: string;
  tabs: readonly {
    readonly name: ComponentChildren;
    readonly href: string;
    readonly count?: number;
    readonly current?: boolean;
  }[];
}>;

export function Tabs({ label, tabs }: Props) {
  return (
    <nav class="tabs" aria-label={label}>
      <ul>
        {tabs.map(({ name, href, count, current = false }) => (
          <li key={href}>
            <a href={href} aria-current={current ? 'page' : undefined}>
              {name}
              {count === undefined ? null : <span class="tab-count"> {count.toLocaleString('en-GB')}</span>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
