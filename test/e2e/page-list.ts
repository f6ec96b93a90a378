/**
 * Every kind of page, by name, on the server of `seeded-server.ts`. Each of them is loaded, judged (axe, html-validate
 * and the project's own checks) and photographed in each look: a new kind of page is added here.
 */
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
