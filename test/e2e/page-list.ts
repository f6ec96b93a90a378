/**
 * Every kind of page, by name, on the server of `seeded-server.ts`. Each of them is loaded, judged (axe, html-validate
 * and the project's own checks) and photographed in each look: a new kind of page is added here.
 */
import type { DeskSeed, Role } from './desk-seed.ts';

interface Seeded {
  readonly slug: string;
  /** The id of a block that was burned. */
  readonly burned: string;
  readonly receipt: string;
  readonly capability: string;
}

export const pageList: Readonly<Record<string, (seeded: Seeded) => string>> = {
  home: () => '/',
  article: ({ slug }) => `/a/${slug}`,
  'article in Chinese': () => '/a/wiki-faq',
  'article full of HTML': () => '/a/xml-security',
  'article without headings': () => '/a/short',
  'article as it stood': ({ slug }) => `/a/${slug}?rev=4`,
  DIV: ({ slug }) => `/a/${slug}/d2`,
  'burned DIV': ({ slug, burned }) => `/a/${slug}/${burned}`,
  claim: ({ slug }) => `/a/${slug}/c1`,
  source: ({ slug }) => `/a/${slug}/s1`,
  discussion: ({ slug }) => `/a/${slug}/discuss`,
  'form about a claim': ({ slug }) => `/a/${slug}/discuss?on=c1`,
  'form about a block': ({ slug }) => `/a/${slug}/discuss?on=d2`,
  'form to reword a claim': ({ slug }) => `/a/${slug}/discuss?on=c1&as=repair`,
  'form to raise a tier': ({ slug }) => `/a/${slug}/discuss?on=d2&as=upgrade&quote=way`,
  'form about an article': ({ slug }) => `/a/${slug}/discuss?on=`,
  graph: ({ slug }) => `/a/${slug}/graph`,
  history: ({ slug }) => `/a/${slug}/history`,
  comparison: ({ slug }) => `/a/${slug}/history?from=1&to=8`,
  'comparison side by side': ({ slug }) => `/a/${slug}/history?from=1&to=8&view=sides`,
  'what links here': ({ slug }) => `/a/${slug}/links`,
  'recent changes': () => '/recent',
  'recent decisions': () => '/recent?kind=decisions',
  tags: () => '/tags',
  tag: () => '/tags/nature',
  series: () => '/series',
  receipt: ({ receipt }) => `/receipt/${receipt}`,
  capability: ({ capability }) => `/cap/${capability}`,
  workspace: () => '/workspace/main',
  search: () => '/search',
  'search results': () => '/search?q=bees+landmark+paragraph',
  'search for nothing': () => '/search?q=unheardof&kind=claim',
  directory: () => '/directory',
  row: () => '/directory/CAP_MINT',
  'row to try': () => '/directory/MIRROR_FEED',
  protocol: () => '/protocol',
  verify: () => '/verify',
  log: () => '/log',
  cohort: () => '/landscape/hive-makers',
  docs: () => '/docs',
  errors: () => '/docs/errors',
  components: () => '/docs/style',
  keys: () => '/docs/keys',
};

/** A page of the desk, or the answer to a form of it. */
export interface DeskPage {
  /** Nobody is signed in without it. */
  readonly as?: Role;
  readonly path: string;
  /** Fields that are sent to the path, beside the form token. */
  readonly sends?: Readonly<Record<string, string>>;
}

type Desk = Seeded & DeskSeed;

const owner = (path: string, sends?: DeskPage['sends']): DeskPage => ({
  as: 'owner',
  path: `/owner${path}`,
  ...(sends === undefined ? {} : { sends: { workspace: 'main', ...sends } }),
});
const guest = (as: Role, path: string): DeskPage => ({ as, path: `/owner${path}` });
const call = (section: string, row: string, fields: Readonly<Record<string, string>>): DeskPage =>
  owner('/call', { section, row, ...fields });

/** Every page of the desk, with its forms refused, its lists empty and full, and by role where it differs. */
export const deskList: Readonly<Record<string, (desk: Desk) => DeskPage>> = {
  'sign-in': () => ({ path: '/owner' }),
  'sign-in refused': () => ({ path: '/owner/login', sends: { key: 'tk_wrong' } }),
  'sign-in with a kept form': () => ({
    path: '/owner/login',
    sends: { key: 'tk_wrong', kept_path: '/owner/new', kept_fields: '{"title":"Bees","text":"Typed."}' },
  }),
  'desk of the owner': () => owner(''),
  'desk of an editor': () => guest('editor', ''),
  'desk of a reviewer': () => guest('reviewer', ''),
  'desk of an empty workspace': () => owner('?workspace=den'),
  'desk page that is the owner’s': () => guest('reviewer', '/costs'),
  'desk page that is not there': () => owner('/a/nowhere'),
  waiting: () => owner('/waiting'),
  'waiting for an editor': () => guest('editor', '/waiting'),
  'waiting for a reviewer': () => guest('reviewer', '/waiting'),
  'waiting calls': () => owner('/waiting?queue=calls'),
  'waiting drafts': () => owner('/waiting?queue=drafts'),
  'waiting assignments': () => owner('/waiting?queue=assignments'),
  'waiting without a match': () => owner('/waiting?queue=votes&article=short'),
  'waiting in an empty workspace': () => owner('/waiting?workspace=den'),
  'decision refused': ({ slug, wording }) =>
    call('waiting', 'MIRROR_RESOLVE', {
      item: `wording ${wording}`,
      slug,
      contribution_id: wording,
      decision: 'accepted',
      note: 'Shorter.',
      text: 'Bees keep it. They always do; and it is in order to find home, as everybody knows.',
    }),
  'decisions refused': ({ objection }) =>
    owner('/waiting', {
      decision: 'reject',
      note: 'None of it.',
      [`choose objections ${objection}`]: '1',
      'choose questions cn_gone': '1',
    }),
  'no decision chosen': () => owner('/waiting', { decision: 'accept' }),
  'articles of the desk': () => owner('/articles'),
  'articles of an editor': () => guest('editor', '/articles'),
  'articles without a match': () => owner('/articles?q=unheardof'),
  'articles of an empty workspace': () => owner('/articles?workspace=den'),
  'new article': () => owner('/new'),
  'new article refused': () =>
    owner('/new', { title: '', text: 'Typed.\n', slug: 'Not a slug', act: 'save', tags: 'a,,b' }),
  'article of the desk': ({ slug }) => owner(`/a/${slug}`),
  'article of the desk for a reviewer': ({ slug }) => guest('reviewer', `/a/${slug}`),
  'draft of the desk': () => owner('/a/not-yet'),
  'settings refused': ({ slug }) =>
    owner(`/a/${slug}/meta`, { title: '', version: '1', position: 'third', tags: 'nature', status: 'gone' }),
  editor: ({ slug }) => owner(`/a/${slug}/edit`),
  'editor of a block': ({ slug }) => owner(`/a/${slug}/edit?block=d2`),
  'edit refused': ({ slug }) =>
    owner(`/a/${slug}/edit`, {
      title: '',
      text: 'Typed.\n',
      version: '1',
      blocks: '',
      note: '',
      act: 'save',
    }),
  'claim form': ({ slug }) => owner(`/a/${slug}/claim?text=They+keep+the+angle.`),
  'claim form refused': ({ slug }) =>
    owner(`/a/${slug}/claim`, { text: 'Two. Sentences; here.', tier: 'human', who_claims: '' }),
  'claim to reword': ({ slug }) => owner(`/a/${slug}/claim?claim=c1`),
  'source form': ({ slug }) => owner(`/a/${slug}/source`),
  'source form refused': ({ slug }) =>
    owner(`/a/${slug}/source`, { url: 'ftp://example.org/bees', quote: '', type: 'x' }),
  revert: ({ slug }) => owner(`/a/${slug}/revert?rev=2`),
  'revert refused': ({ slug }) => owner(`/a/${slug}/revert`, { rev: '2', version: '1', note: '' }),
  'ask box': ({ slug }) => owner(`/a/${slug}/ask`),
  'ask box refused': ({ slug }) => owner(`/a/${slug}/ask`, { question: '' }),
  import: () => owner('/import'),
  'import refused': () => owner('/import', { pasted: '', status: 'draft' }),
  'import to confirm': () =>
    owner('/import', { pasted: '# Ants\n\nThey walk ![](a.png).\n', status: 'draft' }),
  images: () => owner('/images'),
  'images refused': () => owner('/images', { url: 'ftp://example.org/a.png', alt: '' }),
  'shares and keys': () => owner('/access'),
  'shares and keys of an empty workspace': () => owner('/access?workspace=den'),
  'share by preset': ({ slug }) => owner(`/access?preset=question&article=${slug}`),
  'share previewed': ({ slug }) =>
    call('access', 'CAP_MINT', {
      scope: 'reviewer',
      article: slug,
      ttl: '1 week',
      max_uses: '0',
      shape: '1',
    }),
  'share refused': () =>
    call('access', 'CAP_MINT', {
      scope: 'row',
      keys: 'NO_SUCH_ROW',
      ttl: 'soon',
      max_uses: 'few',
      actor: 'Ada',
    }),
  'share minted': () =>
    call('access', 'CAP_MINT', {
      scope: 'row',
      keys: 'MIRROR_FEED',
      ttl: '1 day',
      max_uses: '2',
      purpose: 'to look',
    }),
  'key refused': () =>
    call('access', 'KEY_MINT', { scopes: 'everything', ttl: 'soon', purpose: 'a program' }),
  'what a share did': ({ fingerprint }) => owner(`/cap/${fingerprint}`),
  'landscape of the desk': () => owner('/landscape'),
  'landscape of an empty workspace': () => owner('/landscape?workspace=den'),
  costs: () => owner('/costs'),
  'costs of an empty workspace': () => owner('/costs?workspace=den'),
  scrub: () => owner('/scrub'),
  'scrub previewed': () => call('scrub', 'SECRET_SCRUB', { secret: 'landmark', shape: '1' }),
  'scrub refused': () => call('scrub', 'SECRET_SCRUB', { secret: 'ab', slug: 'nowhere', shape: '0' }),
  notifications: () => owner('/notifications'),
  'notifications refused': () =>
    owner('/notifications', { act: 'put', kind: 'webhook', address: 'nowhere', name: 'Mine' }),
  'notifications of an empty workspace': () => owner('/notifications?workspace=den'),
  'discussion form refused': ({ slug }) => ({
    path: `/a/${slug}/discuss`,
    sends: { on: 'c1', as: 'repair', text: 'Two. Sentences; here.', actor: 'a\u202eb', rationale: '' },
  }),
};

/** The names of all pages that are judged. */
export const pageNames: readonly string[] = [...Object.keys(pageList), ...Object.keys(deskList)];
