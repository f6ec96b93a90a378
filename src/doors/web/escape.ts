/** Text for markup that is put together as a string; components escape by themselves. */
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] as string);
}

const characters: ReadonlyMap<string, string> = new Map(
  Object.entries(entities).map(([character, entity]) => [entity, character]),
);

/** The text of an attribute whose special characters were escaped as above. */
export function unescapeHtml(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => characters.get(entity) as string);
}
