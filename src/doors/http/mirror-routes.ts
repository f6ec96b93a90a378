/** Writes below an article: open intake, which needs no key (spec §4.3), and the owner's decisions about it (§2.10). */
import { callRow } from './call-row.ts';
import { shared } from './parameters.ts';
import { route, type Door } from './route.ts';

export function mirrorRoutes(door: Door): void {
  route(
    door,
    {
      post: '/api/articles/:slug/mirror',
      id: 'contribute',
      summary: 'A question, objection, source, repair or audit for a claim, or for the article as a whole.',
      tag: 'articles',
      row: 'MIRROR_APPEND',
      fixed: ['slug'],
      // Without a claim, the article as a whole is meant.
      optional: ['claim_id'],
      query: shared,
      fromAddress: ({ slug = '' }) => ({ slug }),
    },
    (context) => callRow(door, context, 'MIRROR_APPEND', { claim_id: '', ...context.args }),
  );
  route(
    door,
    {
      post: '/api/articles/:slug/objections',
      id: 'object',
      summary: 'An objection to the article.',
      tag: 'articles',
      row: 'OBJECTION_LOG',
      fixed: ['slug'],
      query: shared,
      fromAddress: ({ slug = '' }) => ({ slug }),
    },
    (context) => callRow(door, context, 'OBJECTION_LOG', context.args),
  );
  route(
    door,
    {
      post: '/api/articles/:slug/mirror/:id/resolve',
      id: 'resolveContribution',
      summary: 'The owner decides about a contribution.',
      tag: 'protocol',
      row: 'MIRROR_RESOLVE',
      fixed: ['slug', 'contribution_id'],
      query: shared,
      fromAddress: ({ slug = '', id = '' }) => ({ slug, contribution_id: id }),
    },
    (context) => callRow(door, context, 'MIRROR_RESOLVE', context.args),
  );
}
