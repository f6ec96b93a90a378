/** Where the notes of a vault are, without their ending: what wikilinks and the canvas name. */
export const notePath = {
  article: (slug: string): string => `Articles/${slug}`,
  claim: (slug: string, id: string): string => `Claims/${slug}-${id}`,
  source: (slug: string, id: string): string => `Sources/${slug}-${id}`,
};
