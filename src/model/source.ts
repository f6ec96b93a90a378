/** Sources of an article (spec §2.3, contract §5): what is sent, kept and answered, and what a bundle may bring. */
import Type, { type TSchema } from 'typebox';
import { importedViolations, oneWordOf, optionalWords, words } from './arguments.ts';
import type { Of } from './exact.ts';
import { worked } from './landscape.ts';
import {
  claimId,
  count,
  flag,
  hash,
  list,
  listed,
  oneOf,
  orNull,
  ranged,
  prev,
  read,
  shape,
  slug,
  sourceId,
  text,
  time,
  typedTime,
  url,
  verification,
} from './parts.ts';
import { linkStatuses, platforms, softwareClasses } from './vocabulary.ts';

/** How long the texts of a source may be, whichever way it comes. */
export const sourceCharsMax = {
  type: 60,
  url: 4000,
  title: 500,
  quote: 8000,
  summary: 4000,
  source_role: 100,
};

const closed = { additionalProperties: false };
const bounded = (maxLength: number) => Type.String({ maxLength });

/** What a poster sends. */
export const SourceInput = Type.Object(
  {
    type: words(sourceCharsMax.type, 'such as review or adjacent'),
    url: words(sourceCharsMax.url, 'http or https'),
    title: words(sourceCharsMax.title, 'title of the cited page'),
    quote: words(sourceCharsMax.quote, 'the exact words'),
    summary: optionalWords(sourceCharsMax.summary, 'what it says'),
    platform: optionalWords(40, 'for anecdotal sources'),
    software_class: optionalWords(60, 'for software sources'),
    source_role: optionalWords(sourceCharsMax.source_role, 'such as adjacent_context'),
    quality_score: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'how well it supports what it is cited for, as judged by its poster',
      }),
    ),
    accessed_at: optionalWords(60, 'ISO 8601; now when left out'),
  },
  closed,
);
export type SourceInput = Of<typeof SourceInput>;

const members = {
  id: sourceId,
  type: text,
  url,
  title: text,
  quote: Type.String({ minLength: 1, description: 'the exact words' }),
  summary: text,
  quality_score: orNull(Type.Number()),
  source_role: orNull(text),
  platform: orNull(oneOf(platforms)),
  software_class: orNull(oneOf(softwareClasses)),
  found_by: text,
  accessed_at: typedTime,
  /** Codes of the content rules that an imported source breaks. */
  violations: Type.Optional(list(text)),
};
const stored = shape(members);
/** What the ledger keeps. */
export type Source = Of<typeof stored>;

/** The same members with the bounds that an imported source must keep. */
export const ImportedSource = Type.Object(
  {
    id: Type.String(),
    type: bounded(sourceCharsMax.type),
    url: bounded(sourceCharsMax.url),
    title: bounded(sourceCharsMax.title),
    quote: bounded(sourceCharsMax.quote),
    summary: bounded(sourceCharsMax.summary),
    quality_score: orNull(Type.Number({ minimum: 0, maximum: 1 })),
    source_role: orNull(bounded(sourceCharsMax.source_role)),
    platform: orNull(oneWordOf(platforms)),
    software_class: orNull(oneWordOf(softwareClasses)),
    // A typed name and the fingerprint behind it.
    found_by: bounded(300),
    accessed_at: bounded(100),
    violations: Type.Optional(importedViolations),
  } satisfies Record<keyof Source, TSchema>,
  closed,
);

const linkMembers = {
  link_status: oneOf(linkStatuses),
  /** Null where nothing answered. */
  http_status: orNull(count),
  /** Where redirects led, if anywhere else. */
  final_url: orNull(text),
  /** Null where no page was read. */
  quote_found: orNull(flag),
  checked_at: time,
};
/** The newest look at a source's page. */
export const LinkView = shape(linkMembers);
export type LinkView = Of<typeof LinkView>;
const check = shape({ source_id: sourceId, ...linkMembers });
/** What a look at a source's page found. */
export type LinkCheck = Of<typeof check>;

/** What a read answers; `link` is left out of a historical read. */
export const SourceView = shape({
  ...members,
  claim_ids: list(claimId),
  link: Type.Optional(orNull(LinkView)),
  ...listed,
});
export type SourceView = Of<typeof SourceView>;
/** As a revision shows it. */
export const RevisedSource = shape({ ...members, prev, hash });
export type RevisedSource = Of<typeof RevisedSource>;
export const SourceList = read({ slug, sources: list(SourceView), verification, ...ranged });

/** What SOURCE_POST answers. */
export const SourcesWritten = shape({
  slug,
  revision: Type.Integer({ minimum: 1 }),
  permalink: url,
  source_ids: list(sourceId),
  sources: list(shape({ ...members, claim_ids: list(claimId), prev, hash })),
  ...worked,
});
