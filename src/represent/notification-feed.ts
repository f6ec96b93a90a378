/** The private Atom feed (RFC 4287) of what waits for the owner. Its texts are phrases of this service. */
import { link, xmlText } from './syndication.ts';

export interface NotificationFeed {
  readonly id: string;
  /** Who names the entries: a host, as RFC 4151 has it. */
  readonly authority: string;
  readonly title: string;
  readonly created: string;
  readonly desk: string;
  /** Newest first. */
  readonly items: readonly {
    readonly n: number;
    readonly ts: string;
    readonly text: string;
    readonly page: string;
  }[];
}

export function notificationFeed(feed: NotificationFeed): string {
  const { id, authority, title, created, desk, items } = feed;
  const tag = `tag:${authority},${created.slice(0, 10)}:${id}`;
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${xmlText(tag)}</id>`,
    `<title>${xmlText(title)}</title>`,
    `<updated>${items[0]?.ts ?? created}</updated>`,
    '<author><name>Colophon</name></author>',
    link('alternate', desk, 'text/html'),
    ...items.flatMap(({ n, ts, text, page }) => [
      '<entry>',
      `<id>${xmlText(`${tag}/${n}`)}</id>`,
      `<title>${xmlText(text)}</title>`,
      `<published>${ts}</published>`,
      `<updated>${ts}</updated>`,
      link('alternate', page, 'text/html'),
      `<content type="text">${xmlText(text)}</content>`,
      '</entry>',
    ]),
    '</feed>\n',
  ].join('\n');
}
