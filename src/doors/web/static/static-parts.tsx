/** Parts of an article page that only a static site has. */
import type { Site } from '../site.ts';

/** Answers need the deployment; without an address that readers can reach there is nothing to offer. */
export function AnswerOnLiveSite({ site, slug }: Readonly<{ site: Site; slug: string }>) {
  if (site.static?.live === undefined) return null;
  return (
    <a href={site.to.discuss(slug)} rel="nofollow">
      Answer on the live site
    </a>
  );
}

/** What the check in the browser is worth. */
export function StaticSealNote({ site: { to } }: { readonly site: Site }) {
  return (
    <p class="section-note">
      The check needs no network: it renders the blocks that the bundle beside this page commits to, and
      compares them with the words shown. <a href={to.verify}>What that proves, and what it does not</a>
    </p>
  );
}
