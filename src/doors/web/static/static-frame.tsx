/** The frame of pages of a static site: navigation between its files, and where the site comes from. */
import type { ComponentChildren } from 'preact';
import { Time } from '../parts.tsx';
import type { Site } from '../site.ts';

/** Nothing is loaded from another host, nothing is sent anywhere, and no text of an article is executed. */
export const staticPolicy =
  "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file:; base-uri 'none'; form-action 'none'";

type Props = Readonly<{ site: Site; here: string | undefined }>;

export function StaticHead({ site: { to }, here }: Props) {
  const places = [
    ['Articles', to.home],
    ['Tags', to.tags],
    ['Series', to.series],
    ['Search', to.search],
  ] as const;
  return (
    <header class="site-head">
      <a class="wordmark" href={to.home} rel="home">
        Colophon
      </a>
      <nav aria-label="Site">
        <ul>
          {places.map(([name, href]) => (
            <Entry key={name} name={name} href={href} isHere={here === name} />
          ))}
        </ul>
      </nav>
    </header>
  );
}

export function StaticFoot({ site, here, children }: Props & { readonly children: ComponentChildren }) {
  const { live, size, ts } = site.static ?? { live: undefined, size: 0, ts: undefined };
  return (
    <footer class="site-foot">
      <p class="section-note">
        A copy to read, as of entry {size.toLocaleString('en-GB')} of the log
        {ts === undefined ? null : (
          <>
            , <Time iso={ts} />
          </>
        )}
        . Later changes, corrections and objections are not in it.
      </p>
      <nav aria-label="More of this site">
        <ul>
          <Entry
            name="About this copy and how to verify it"
            href={site.to.verify}
            isHere={here === 'Verify'}
          />
          {live === undefined ? null : (
            <li>
              <a href={`${live}/`} rel="external">
                The live site
              </a>
            </li>
          )}
        </ul>
      </nav>
      {children}
    </footer>
  );
}

function Entry({ name, href, isHere }: Readonly<{ name: string; href: string; isHere: boolean }>) {
  return (
    <li>
      <a href={href} aria-current={isHere ? 'page' : undefined}>
        {name}
      </a>
    </li>
  );
}
