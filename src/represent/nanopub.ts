/**
 * A claim as a nanopublication in TriG (nanopub.net guidelines): four named graphs with the assertion, where it comes
 * from, and who published it. It is unsigned and has no trusty URI: its receipt and proof are in the ledger. The address
 * names the revision that gave the claim its wording, so that it keeps its content (but for what is scrubbed).
 */
import { links } from '../domain/links.ts';
import type { Claim } from '../model/claim.ts';
import type { Source } from '../model/source.ts';
import { iriText, webIri } from './iri.ts';

export interface ClaimPublication {
  readonly base: string;
  readonly slug: string;
  readonly publisher: string;
  readonly claim: Claim;
  /** Those that it cites, in the order of the claim. */
  readonly sources: readonly Source[];
  /** The revision that made this wording, and the one that made the wording before it, if it can be read. */
  readonly rev: number;
  readonly previousRev: number | undefined;
  /** ISO 8601: when this wording was made. */
  readonly created: string;
  /** The id of the call that made it. */
  readonly receipt: string | null;
}

const prefixes = {
  np: 'http://www.nanopub.org/nschema#',
  npx: 'http://purl.org/nanopub/x/',
  prov: 'http://www.w3.org/ns/prov#',
  pav: 'http://purl.org/pav/',
  dct: 'http://purl.org/dc/terms/',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  schema: 'http://schema.org/',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
} as const;

export function nanopub(publication: ClaimPublication): string {
  const { base, slug, claim, rev } = publication;
  const at = (revision: number): string => `${links.nanopub(base, slug, claim.id)}?rev=${revision}`;
  const self = at(rev);
  const graphs = {
    Head: [
      subject('this:', [
        'a np:Nanopublication',
        'np:hasAssertion sub:assertion',
        'np:hasProvenance sub:provenance',
        'np:hasPublicationInfo sub:pubinfo',
      ]),
    ],
    assertion: [assertion(publication)],
    provenance: provenance(publication),
    pubinfo: pubinfo(publication, at),
  };
  return [
    ...Object.entries({ this: self, sub: `${self}#`, ...prefixes }).map(
      ([name, address]) => `@prefix ${name}: ${iri(address)} .\n`,
    ),
    ...Object.entries(graphs).map(
      ([name, subjects]) => `\nsub:${name} {\n${subjects.map((each) => `  ${each}\n`).join('')}}\n`,
    ),
  ].join('');
}

function assertion({ base, slug, claim }: ClaimPublication): string {
  return subject(iri(links.claim(base, slug, claim.id)), [
    'a schema:Claim',
    `schema:text ${literal(claim.text)}`,
    `schema:version ${literal(String(claim.version))}`,
    `schema:isPartOf ${iri(links.article(base, slug))}`,
  ]);
}

/** Who claims it, who posted it by which call, the quoted sources, and whether it was retracted. */
function provenance({ base, slug, claim, sources, created, receipt }: ClaimPublication): string[] {
  const { posted_by: posted, extra } = claim;
  const { retracted } = extra;
  const call = receipt === null ? 'sub:call' : iri(links.receipt(base, receipt));
  const sourceIri = ({ id }: Source): string => iri(`${links.article(base, slug)}#${id}`);
  return [
    subject('sub:assertion', [
      'prov:wasAttributedTo sub:claimant',
      `prov:generatedAtTime ${dated(created)}`,
      `prov:wasGeneratedBy ${call}`,
      ...sources.map((source) => `prov:wasDerivedFrom ${sourceIri(source)}`),
      ...(retracted === undefined
        ? []
        : [
            `prov:invalidatedAtTime ${dated(retracted.at)}`,
            `prov:wasInvalidatedBy ${iri(links.receipt(base, retracted.receipt))}`,
          ]),
    ]),
    subject('sub:claimant', ['a prov:Agent', `rdfs:label ${literal(claim.who_claims)}`]),
    subject(call, [
      'a prov:Activity',
      'prov:wasAssociatedWith sub:poster',
      ...(posted.model === null ? [] : ['prov:wasAssociatedWith sub:model']),
    ]),
    subject('sub:poster', ['a prov:Agent', `rdfs:label ${literal(posted.actor)}`]),
    ...(posted.model === null
      ? []
      : [subject('sub:model', ['a prov:SoftwareAgent', `rdfs:label ${literal(posted.model)}`])]),
    ...sources.map((source) =>
      subject(sourceIri(source), [
        'a prov:Entity',
        `dct:title ${literal(source.title)}`,
        `prov:value ${literal(source.quote)}`,
        quotedFrom(source.url),
        `pav:retrievedOn ${dated(source.accessed_at)}`,
      ]),
    ),
  ];
}

/** A page by its address; anything else by name. */
function quotedFrom(url: string): string {
  const page = webIri(url);
  return page === undefined ? `dct:identifier ${literal(url)}` : `prov:wasQuotedFrom ${iri(page)}`;
}

function pubinfo(
  { base, slug, claim, publisher, created, previousRev }: ClaimPublication,
  at: (rev: number) => string,
): string[] {
  const { retracted } = claim.extra;
  return [
    subject('this:', [
      `dct:created ${dated(created)}`,
      'dct:creator sub:poster',
      'dct:publisher sub:publisher',
      `dct:isPartOf ${iri(links.article(base, slug))}`,
      `schema:creativeWorkStatus ${literal(claim.status)}`,
      ...(previousRev === undefined ? [] : [`npx:supersedes ${iri(at(previousRev))}`]),
      ...(retracted === undefined ? [] : [`rdfs:comment ${literal(retracted.reason)}`]),
    ]),
    subject('sub:publisher', ['a prov:Organization', `rdfs:label ${literal(publisher)}`]),
  ];
}

function subject(name: string, predicates: readonly string[]): string {
  return `${name} ${predicates.join(' ;\n    ')} .`;
}

function iri(address: string): string {
  return `<${iriText(address)}>`;
}

/** A string in quotes: what could end or alter it is escaped. */
function literal(text: string): string {
  const escaped = text
    .toWellFormed()
    .replace(/["\\]/g, (character) => `\\${character}`)
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029\uFFFE\uFFFF]/gu, unicodeEscape);
  return `"${escaped}"`;
}

function unicodeEscape(character: string): string {
  const code = (character.codePointAt(0) as number).toString(16).toUpperCase();
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
}

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const date = /^\d{4}-\d\d-\d\d$/;

/** Typed where the text is a date that exists; some times are typed by contributors. */
function dated(text: string): string {
  if (dateTime.test(text) && isDate(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)))
    return `${literal(text)}^^xsd:dateTime`;
  return date.test(text) && isDate(text) ? `${literal(text)}^^xsd:date` : literal(text);
}

/** `Date` accepts the 31st of February. */
function isDate(day: string): boolean {
  const at = Date.parse(day);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}
