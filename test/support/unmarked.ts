/** A page without the name of its mark of untrusted text, which is a hash of the page. */
export function unmarked(markup: string): string {
  return markup.replaceAll(/<code>[0-9a-f]{24}<\/code>/g, '');
}
