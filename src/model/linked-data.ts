/** Articles in the formats of others (docs/linked-data.md): Web Annotations, CSL-JSON and oEmbed, as far as they are used. */
import Type from 'typebox';
import type { Of } from './exact.ts';
import { count, list, oneOf, shape, text, time, url } from './parts.ts';

/** Why something was said, in the words of the Web Annotation vocabulary. */
const motivation = oneOf([
  'assessing',
  'commenting',
  'editing',
  'linking',
  'moderating',
  'questioning',
  'replying',
]);
export type Motivation = Of<typeof motivation>;

export const Annotation = shape({
  id: url,
  type: Type.Literal('Annotation'),
  motivation,
  created: time,
  creator: shape({ name: text }),
  target: Type.Union([
    url,
    shape({
      type: Type.Literal('SpecificResource'),
      source: url,
      selector: shape({ type: Type.Literal('TextQuoteSelector'), exact: text }),
    }),
  ]),
  body: list(
    shape({
      type: Type.Literal('TextualBody'),
      value: text,
      format: Type.Optional(Type.Literal('text/plain')),
      purpose: Type.Union([motivation, Type.Literal('tagging')]),
    }),
  ),
});
export type Annotation = Of<typeof Annotation>;

const context = Type.Literal('http://www.w3.org/ns/anno.jsonld');
const pageMembers = {
  id: url,
  type: Type.Literal('AnnotationPage'),
  startIndex: count,
  prev: Type.Optional(url),
  next: Type.Optional(url),
  items: list(Annotation),
};
const collectionMembers = { id: url, type: Type.Literal('AnnotationCollection'), total: count };

/** A page of annotations, or their collection with the first page. */
export const Annotations = Type.Union([
  shape({
    '@context': context,
    ...collectionMembers,
    label: text,
    first: Type.Optional(shape(pageMembers)),
    last: Type.Optional(url),
  }),
  shape({ '@context': context, ...pageMembers, partOf: shape(collectionMembers) }),
]);
export type Annotations = Of<typeof Annotations>;

/** One item, as citation processors read it (CSL-JSON). */
export const CslItems = list(
  shape({
    id: text,
    type: Type.Literal('webpage'),
    title: text,
    author: list(shape({ literal: text })),
    publisher: text,
    issued: shape({ 'date-parts': list(list(Type.Integer())) }),
    version: text,
    URL: url,
  }),
);
export type CslItems = Of<typeof CslItems>;

export const OEmbed = shape({
  version: Type.Literal('1.0'),
  type: Type.Literal('link'),
  title: text,
  author_name: text,
  provider_name: text,
  provider_url: url,
  /** Seconds. */
  cache_age: count,
});
export type OEmbed = Of<typeof OEmbed>;
