/**
 * What a stranger can do with the share it was handed at `/start` or at the door of a workspace (spec §4.2, contract §7):
 * addresses with places to fill. They hold the token, as everything does that is shown once to whoever entered.
 */
import { links } from '../domain/links.ts';
import { holderTemplates } from './receipt-templates.ts';

/** What a tool that only fetches opens; a template leaves room for what is said in it. */
export const urlCharsMax = 250;
const saidChars = 60;

/** Bodies of the rows that a stranger writes with. */
const writtenBy: Readonly<Record<string, string>> = {
  OBJECTION_LOG: '{slug}%7C{objection}',
  OIP_ARTICLE_REVIEW: '{slug}%7C{verdict}%7C{body}%7C{actor}',
  MODEL_CHAT_INTAKE: '{slug}%7C{actor}%7C{text}',
  MIRROR_APPEND: '{slug}%7C{claim_id}%7C{kind}%7C{actor}%7C{text}',
};

/** Addresses with places to fill: a call of each row that writes, what was recorded of it, and how it is mended. */
export function entryTemplates(
  base: string,
  keys: readonly string[],
  share: string,
  slugs: readonly string[],
): readonly string[] {
  const dispatch = links.dispatch(base);
  const invoke = (key: string, body: string): string =>
    `${dispatch}?invoke=${key}&body=${body}&share=${share}`;
  const writes = keys.filter((key) => key in writtenBy);
  return [
    ...(keys.includes('OBJECTION_LOG')
      ? slugs
          .map((slug) => invoke('OBJECTION_LOG', `${slug}%7C{objection}`))
          .filter((url) => url.length <= urlCharsMax - saidChars)
      : []),
    ...writes.map((key) => invoke(key, writtenBy[key] as string)),
    ...(writes.length === 0 ? [invoke('ARTICLE_INSPECT', '{slug}%7C{part}')] : []),
    ...(keys.includes('LANDSCAPE_NEXT')
      ? [`${base}/api/build-landscape?next=1&lane={lane}&n={n}&share=${share}`]
      : []),
    ...holderTemplates(base, share),
    links.confirm(base, '{inv}'),
  ];
}
