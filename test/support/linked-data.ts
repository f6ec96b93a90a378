/**
 * Foreign readers of linked data: JSON-LD as RDF without network, TriG, BibTeX, the elements of a page, and the rules of
 * a nanopublication (nanopub.net guidelines, §3).
 */
import { readFileSync } from 'node:fs';
import { Cite } from '@citation-js/core';
import '@citation-js/plugin-bibtex';
import { Parser as HtmlParser } from 'htmlparser2';
import jsonld from 'jsonld';
import { Parser, type Quad } from 'n3';

const contextAt = (name: string): object =>
  JSON.parse(readFileSync(new URL(`../data/linked-data/${name}.json`, import.meta.url), 'utf8')) as object;
const contexts: Readonly<Record<string, object>> = {
  'https://schema.org': contextAt('schema-org-context'),
  'http://www.w3.org/ns/anno.jsonld': contextAt('anno-context'),
};

/** The statements of a JSON-LD document. Throws for a term that its context does not define. */
export async function statementsOf(document: object): Promise<Quad[]> {
  const quads = (await jsonld.toRDF(document, {
    format: 'application/n-quads',
    safe: true,
    documentLoader: async (url: string) => {
      const known = contexts[url];
      if (known === undefined) throw new Error(`${url} is not known`);
      return { contextUrl: undefined, documentUrl: url, document: known };
    },
  } as jsonld.Options.ToRdf)) as unknown as string;
  return new Parser({ format: 'application/n-quads' }).parse(quads);
}

export function readTrig(text: string): Quad[] {
  return new Parser({ format: 'application/trig' }).parse(text);
}

/** The first object of a statement. */
export function objectOf(quads: readonly Quad[], subject: string, predicate: string): string | undefined {
  return objectsOf(quads, subject, predicate)[0];
}

export function objectsOf(quads: readonly Quad[], subject: string, predicate: string): string[] {
  return quads
    .filter((quad) => quad.subject.value === subject && quad.predicate.value === predicate)
    .map(({ object }) => object.value);
}

/** What a citation processor reads of a reference, in CSL's names. */
export type Reference = Readonly<Record<string, unknown>>;

export function readBibtex(text: string): readonly Reference[] {
  return new Cite(text).data;
}

export function readCsl(text: string): readonly Reference[] {
  return new Cite(JSON.parse(text)).data;
}

export interface PageData {
  /** `content` of `meta` elements by `name` or `property`. */
  readonly metadata: Readonly<Record<string, string>>;
  /** `href` of alternate links by media type. */
  readonly alternates: Readonly<Record<string, string>>;
  /** Texts of `script` elements without a file. */
  readonly data: readonly { readonly type: string | undefined; readonly text: string }[];
  /** Names of all elements. */
  readonly elements: ReadonlySet<string>;
}

export function readPage(html: string): PageData {
  const metadata: Record<string, string> = {};
  const alternates: Record<string, string> = {};
  const data: { type: string | undefined; text: string }[] = [];
  const elements = new Set<string>();
  let script: (typeof data)[number] | undefined;
  const parser = new HtmlParser({
    onopentag(name, attributes) {
      elements.add(name);
      const key = attributes['name'] ?? attributes['property'];
      if (name === 'meta' && key !== undefined) metadata[key] = attributes['content'] ?? '';
      if (name === 'link' && attributes['rel'] === 'alternate')
        alternates[attributes['type'] ?? ''] ??= attributes['href'] ?? '';
      if (name === 'script' && attributes['src'] === undefined)
        data.push((script = { type: attributes['type'], text: '' }));
    },
    ontext(text) {
      if (script !== undefined) script.text += text;
    },
    onclosetag(name) {
      if (name === 'script') script = undefined;
    },
  });
  parser.end(html);
  return { metadata, alternates, data, elements };
}

const np = 'http://www.nanopub.org/nschema#';
const rdfType = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const xsd = 'http://www.w3.org/2001/XMLSchema#';
const wellTyped: Readonly<Record<string, (value: string) => boolean>> = {
  [`${xsd}dateTime`]: (value) => /^\d{4}-\d\d-\d\dT/.test(value) && isDay(value.slice(0, 10)),
  [`${xsd}date`]: (value) => /^\d{4}-\d\d-\d\d$/.test(value) && isDay(value),
  [`${xsd}integer`]: (value) => /^[+-]?\d+$/.test(value),
  [`${xsd}boolean`]: (value) => /^(?:true|false|0|1)$/.test(value),
};

function isDay(day: string): boolean {
  const at = new Date(day);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}

/** How a document differs from one nanopublication; nothing where it is one. */
export function nanopubFaults(trig: string): string[] {
  let quads: Quad[];
  try {
    quads = readTrig(trig);
  } catch (error) {
    return [`does not parse: ${String(error)}`];
  }
  const types = quads.filter(
    ({ predicate, object }) => predicate.value === rdfType && object.value === `${np}Nanopublication`,
  );
  const [type] = types;
  if (type === undefined || types.length > 1) return [`holds ${types.length} nanopublications`];
  const self = type.subject.value;
  const head = type.graph.value;
  const linked = ['hasAssertion', 'hasProvenance', 'hasPublicationInfo'].map((name) => {
    const found = quads.filter(
      ({ subject, predicate, graph }) =>
        subject.value === self && predicate.value === np + name && graph.value === head,
    );
    return found.length === 1 ? (found[0] as Quad).object.value : '';
  });
  const [assertion, provenance, info] = linked;
  const graphs = [head, ...linked];
  const inGraph = (name: string | undefined): Quad[] => quads.filter(({ graph }) => graph.value === name);
  const rules: Readonly<Record<string, boolean>> = {
    'a part is not linked once': linked.every((part) => part !== ''),
    'graphs are not four': new Set([self, ...graphs]).size === 5,
    'a graph is empty': graphs.every((name) => inGraph(name).length > 0),
    'there is another graph': quads.every(({ graph }) => graphs.includes(graph.value)),
    'a graph is not named after it': graphs.every((name) => name.startsWith(self)),
    'the provenance is not of the assertion': inGraph(provenance).some(
      ({ subject }) => subject.value === assertion,
    ),
    'the info is not of the nanopublication': inGraph(info).some(({ subject }) => subject.value === self),
    'a literal is ill-typed': quads.every(
      ({ object }) =>
        object.termType !== 'Literal' || (wellTyped[object.datatype.value]?.(object.value) ?? true),
    ),
  };
  return Object.keys(rules).filter((name) => rules[name] !== true);
}
