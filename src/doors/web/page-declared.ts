/** The pages by their routes (contract §8). A page takes what it knows of its query and passes over the rest. */
import type { Operation, Taken } from '../../represent/openapi/operation.ts';
import { words } from '../http/parameters.ts';

const page = (id: string, summary: string, query: Taken = {}): Operation => ({
  id: `${id}Page`,
  summary,
  tag: 'pages',
  caller: 'nobody',
  query,
  lenient: true,
  json: false,
  types: ['text/html'],
});
const after = words('where the page before ended');
/** One of the two, for the article as it stood. */
const moment = {
  rev: words('a revision'),
  at: words('a place in the log or an ISO 8601 time'),
};

export const pages = {
  '/': page('home', 'What this is, and the articles.', { after }),
  '/a/:slug': page('article', 'An article with its claims, sources and discourse.', moment),
  '/a/:slug/:part': page('part', 'One DIV (d3), one claim (c1), the history or the graph of an article.', {
    from: words('a revision, for the history'),
    to: words('a revision, for the history'),
    ...moment,
  }),
  '/a/:slug/propose': page('propose', 'A form to object, ask, or propose a source or another wording.', {
    claim: words('the claim that it is about; the article as a whole without it'),
  }),
  '/workspace/:name': page('workspace', 'A workspace, its articles and cohorts.', { after }),
  '/search': page('search', 'What was found.', {
    q: words('what to look for'),
    kind: words('a kind of result'),
    workspace: words('an open workspace; main without it'),
    cursor: words('how many come before'),
  }),
  '/directory': page('directory', 'Every row.'),
  '/directory/:key': page('row', 'A row: contract, example, and a form to try it.'),
  '/protocol': page('protocol', 'The protocol in words.'),
  '/docs': page('docs', 'How to use the service.'),
  '/docs/errors': page('errors', 'Every error code, and what to do about it.'),
  '/verify': page('verify', 'Verifies a proof or a bundle in the browser.'),
  '/log': page('log', 'The log, the newest entries first.', { before: words('an index of the log') }),
  '/receipt/:inv': page('receipt', 'A receipt, verified in the browser.'),
  '/cap/:fingerprint': page('capability', 'What a share may do, by its fingerprint.'),
  '/landscape/:cohort': page('landscape', 'The comparison table of a cohort.', { after }),
} as const satisfies Readonly<Record<string, Operation>>;

/** What the page for proposing sends. */
export const proposal = {
  id: 'proposeByForm',
  summary: 'Proposes what the form holds, as MIRROR_APPEND does, and leads to where it stands.',
  tag: 'pages',
  caller: 'nobody',
  query: undefined,
  lenient: true,
  json: false,
  types: ['text/html'],
  form: true,
  body: {
    claim: words('the claim that it is about; empty for the article as a whole'),
    claim_hash: words('the hash of that claim as it was read'),
    kind: words('the kind of the contribution'),
    actor: words('a name for display'),
    body: words('the contribution'),
    once: words('as the page has it'),
  },
  required: ['kind', 'actor', 'body'],
} as const satisfies Operation;
