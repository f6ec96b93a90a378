/** What the declarations of public pages begin with (contract §8): no credential, unknown parameters ignored, counted as reads. */
import { pageFace } from './error-page.tsx';
import type { Site } from './site.ts';

export function pageDeclaration(site: Site) {
  return {
    tag: 'pages',
    caller: 'none',
    query: {},
    lenient: true,
    json: false,
    types: ['text/html'],
    limit: 'read',
    face: pageFace(site),
  } as const;
}
