/** Absolute URLs of everything that has one. `base` has no final slash. */
const segment = encodeURIComponent;

export const links = {
  article: (base: string, slug: string) => `${base}/a/${segment(slug)}`,
  articleJson: (base: string, slug: string) => `${base}/api/articles/${segment(slug)}`,
  articlePart: (base: string, slug: string, part: string) => `${base}/api/articles/${segment(slug)}/${part}`,
  articleMarkdown: (base: string, slug: string) => `${base}/api/articles/${segment(slug)}?format=markdown`,
  annotations: (base: string, slug: string) => `${base}/api/articles/${segment(slug)}/annotations`,
  citation: (base: string, slug: string, format: 'bibtex' | 'csl') =>
    `${base}/api/articles/${segment(slug)}/citation?format=${format}`,
  nanopub: (base: string, slug: string, claimId: string) =>
    `${base}/api/articles/${segment(slug)}/claims/${claimId}/nanopub`,
  oEmbed: (base: string, page: string) => `${base}/oembed?url=${segment(page)}`,
  div: (base: string, slug: string, divId: string) => `${base}/a/${segment(slug)}/${divId}`,
  claim: (base: string, slug: string, claimId: string) => `${base}/a/${segment(slug)}/${claimId}`,
  source: (base: string, slug: string, sourceId: string) => `${base}/a/${segment(slug)}/${sourceId}`,
  graph: (base: string, slug: string) => `${base}/api/graph?slugs=${segment(slug)}`,
  receipt: (base: string, inv: string) => `${base}/receipt/${inv}`,
  receiptJson: (base: string, inv: string) => `${base}/api/dispatch?receipt=${inv}`,
  confirm: (base: string, inv: string) => `${base}/api/dispatch?confirm=${inv}`,
  row: (base: string, key: string) => `${base}/api/directory/${segment(key)}`,
  rowPage: (base: string, key: string) => `${base}/directory/${segment(key)}`,
  contract: (base: string, key: string) => `${base}/api/dispatch?key=${segment(key)}`,
  schema: (base: string, name: string) => `${base}/api/schemas/${segment(name)}`,
  dispatch: (base: string) => `${base}/api/dispatch`,
  ask: (base: string, question: string) => `${base}/api/dispatch?ask=${segment(question)}`,
  blob: (base: string, sha256: string) => `${base}/blobs/${sha256}`,
  landscape: (base: string, cohort: string) => `${base}/landscape/${segment(cohort)}`,
  landscapeJson: (base: string, cohort: string) => `${base}/api/build-landscape?cohort=${segment(cohort)}`,
  comparison: (base: string, cohort: string) =>
    `${base}/api/build-landscape?cohort=${segment(cohort)}&table=1`,
  assignment: (base: string, id: string) => `${base}/api/normandy?assignment=${id}`,
  certificates: (base: string, target: string) => `${base}/api/proven-work?target=${segment(target)}`,
  batch: (base: string) => `${base}/api/protocol/voxel-batch`,
  workspace: (base: string, name: string) => `${base}/api/workspace/${segment(name)}`,
  tagPage: (base: string, tag: string) => `${base}/tags/${segment(tag)}`,
  seriesPage: (base: string, name: string) => `${base}/series/${segment(name)}`,
  workspacePage: (base: string, name: string) => `${base}/workspace/${segment(name)}`,
  capability: (base: string, fingerprint: string) => `${base}/cap/${fingerprint}`,
  notificationFeed: (base: string, id: string, token: string) =>
    `${base}/notifications.xml?id=${id}&token=${token}`,
  /** Of a capability by its fingerprint; its holder asks with the token in its place. */
  explain: (base: string, fingerprint: string) => `${base}/api/dispatch?explain=1&share=${fingerprint}`,
};

/**
 * Whether refusals at an address are pages. The API, the files of the log and what programs look for have their own
 * formats.
 */
export function isPagePath(path: string): boolean {
  if (/^\/start\/help(?:[/?]|$)/.test(path)) return true;
  if (/\/feed\.xml(?:\?|$)/.test(path)) return false;
  return !/^\/(?:api|tile|mcp|start|\.well-known|checkpoint|assets|metrics|healthz|readyz|robots\.txt|llms\.txt|sitemap\.xml|feed\.xml|notifications\.xml)(?:[/?]|$)/.test(
    path,
  );
}
