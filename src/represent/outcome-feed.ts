/**
 * The Atom feed (RFC 4287) of one receipt: what was said, and what became of it. Its texts are data written by others;
 * they leave as text, never as markup.
 */
import { link, xmlText } from './syndication.ts';

export interface OutcomeFeed {
  readonly inv: string;
  /** Who names the entries: a host, as RFC 4151 has it. */
  readonly authority: string;
  readonly title: string;
  readonly self: string;
  readonly receipt: string;
  /** Newest first. */
  readonly items: readonly {
    readonly id: string;
    readonly title: string;
    readonly text: string;
    readonly ts: string;
    readonly page: string;
  }[];
}

export function outcomeFeed({ inv, authority, title, self, receipt, items }: OutcomeFeed): string {
  const first = items.at(-1)?.ts ?? '1970-01-01T00:00:00.000Z';
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${xmlText(`tag:${authority},${first.slice(0, 10)}:${inv}`)}</id>`,
    `<title>${xmlText(title)}</title>`,
    `<updated>${items[0]?.ts ?? first}</updated>`,
    '<author><name>Colophon</name></author>',
    link('self', self, 'application/atom+xml'),
    link('alternate', receipt, 'text/html'),
    ...items.map((item) =>
      [
        '<entry>',
        `<id>${xmlText(`tag:${authority},${first.slice(0, 10)}:${inv}/${item.id}`)}</id>`,
        `<title>${xmlText(item.title)}</title>`,
        `<published>${item.ts}</published>`,
        `<updated>${item.ts}</updated>`,
        link('alternate', item.page, 'text/html'),
        `<content type="text">${xmlText(item.text)}</content>`,
        '</entry>',
      ].join('\n'),
    ),
    '</feed>\n',
  ].join('\n');
}
