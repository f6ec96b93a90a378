import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ArticleState } from '../../../src/domain/articles/state.ts';
import type { Claim } from '../../../src/model/claim.ts';
import type { Post } from '../../../src/model/discourse.ts';
import type { Source } from '../../../src/model/source.ts';
import { bibtex, type Cited, cslJson } from '../../../src/represent/citation.ts';
import { type ClaimPublication, nanopub } from '../../../src/represent/nanopub.ts';
import { articleJsonLd, scriptText } from '../../../src/represent/schema-org.ts';
import {
  nanopubFaults,
  objectOf,
  objectsOf,
  readBibtex,
  readCsl,
  readPage,
  readTrig,
  statementsOf,
} from '../../support/linked-data.ts';
import { article } from '../articles/sundial.ts';

/** What could end a string, an element, a graph or an entry, or be left out on the way. */
const hostileParts = [
  '</script><script>alert(1)</script>',
  '<!--',
  '-->',
  ']]>',
  '"',
  '"""',
  "'",
  '\\',
  '\\"',
  '{',
  '}',
  '}}\n@misc{x,',
  '%',
  '&',
  '$',
  '#',
  '_',
  '^',
  '~',
  '\n',
  '\r\n',
  '\t',
  '\u2028',
  '\u202e',
  '\u0085',
  '\ud800',
  '\u{1f642}',
  '> . sub:assertion { <x> <y> <z> }',
  '$&',
  'ÄÖ',
  '\\textbf{x}',
  '\u0001',
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...hostileParts), fc.string({ unit: 'binary', maxLength: 8 })), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''));
const runs = { numRuns: 300 };
const whole = (text: string): string => text.toWellFormed();

const cited: Cited = {
  slug: 'dials',
  title: 'Dials',
  version: 3,
  publisher: 'c.test',
  issued: '2026-01-02T03:04:05.000Z',
  url: 'https://c.test/a/dials?rev=3',
};

describe('a citation', () => {
  it('is read from BibTeX and CSL-JSON with the same members', () => {
    const expected = {
      title: 'Dials',
      publisher: 'c.test',
      issued: { 'date-parts': [[2026, 1, 2]] },
      URL: 'https://c.test/a/dials?rev=3',
    };
    expect(readBibtex(bibtex(cited))).toMatchObject([
      { ...expected, 'citation-key': 'dials', author: [{ family: 'c.test' }], note: 'Version 3' },
    ]);
    expect(readCsl(JSON.stringify(cslJson(cited)))).toMatchObject([
      { ...expected, id: 'dials', type: 'webpage', author: [{ literal: 'c.test' }], version: '3' },
    ]);
  });

  it('keeps a publisher with "and" and a comma as one author', () => {
    const [read] = readBibtex(bibtex({ ...cited, publisher: 'Sun, Moon and Stars' }));
    expect(read).toMatchObject({ author: [{ family: 'Sun, Moon and Stars' }] });
  });

  it('stays one BibTeX entry with the same fields for any title and publisher', () => {
    fc.assert(
      fc.property(hostile, hostile, (title, publisher) => {
        const text = bibtex({ ...cited, title, publisher });
        const entries = readBibtex(text);
        expect(entries).toHaveLength(1);
        expect(entries[0]).toMatchObject({ 'citation-key': 'dials', note: 'Version 3', URL: cited.url });
        // Braces are balanced in every field, so that BibTeX itself finds the same end.
        expect(text.split('{').length).toBe(text.split('}').length);
        expect(text.split('\n')).toHaveLength(11);
      }),
      runs,
    );
  });

  it('keeps the words of a title in BibTeX', () => {
    const [read] = readBibtex(bibtex({ ...cited, title: 'A {b} \\c 100% & $5 #1 a_b x^2 ~d "e" <f> ü 漢' }));
    expect(read?.['title']).toBe('A {b} \\c 100% & $5 #1 a_b x^2 ~d "e" <f> ü 漢');
  });
});

const claim = {
  id: 'c1',
  text: 'A sundial shows the hour.',
  tier: 'system',
  source_ids: ['s1'],
  status: 'active',
  who_claims: 'A gnomonist',
  version: 2,
  hash: 'a'.repeat(64),
  posted_by: { actor: 'owner', channel: 'api', ts: '2026-01-01T00:00:00.000Z', model: null, rationale: null },
  extra: {},
} as unknown as Claim;
const source = {
  id: 's1',
  type: 'review',
  url: 'https://example.org/dial',
  title: 'Dials',
  quote: 'It shows the hour.',
  accessed_at: '2026-01-01',
} as unknown as Source;
const publication: ClaimPublication = {
  base: 'https://c.test',
  slug: 'dials',
  publisher: 'c.test',
  claim,
  sources: [source],
  rev: 3,
  previousRev: 2,
  created: '2026-01-02T03:04:05.000Z',
  receipt: 'inv_aaaaaaaaaaaaaaaa',
};
const self = 'https://c.test/api/articles/dials/claims/c1/nanopub?rev=3';
const prov = 'http://www.w3.org/ns/prov#';
const rdfs = 'http://www.w3.org/2000/01/rdf-schema#';

describe('the rules of a nanopublication', () => {
  const folder = new URL('../../data/linked-data/nanopubs/', import.meta.url);
  const read = (kind: string): [string, string][] =>
    readdirSync(new URL(`${kind}/`, folder)).map((name) => [
      name,
      readFileSync(new URL(`${kind}/${name}`, folder), 'utf8'),
    ]);

  it.each(read('valid'))('accept the published %s', (_name, text) => {
    expect(nanopubFaults(text)).toEqual([]);
  });

  it.each(read('invalid'))('refuse the published %s', (_name, text) => {
    expect(nanopubFaults(text)).not.toEqual([]);
  });
});

describe('a nanopublication of a claim', () => {
  it('keeps the rules, and says who claims, who posted, and what is quoted from where', () => {
    const trig = nanopub(publication);
    expect(nanopubFaults(trig)).toEqual([]);
    const quads = readTrig(trig);
    expect(objectOf(quads, 'https://c.test/a/dials/c1', 'http://schema.org/text')).toBe(claim.text);
    expect(objectsOf(quads, `${self}#assertion`, `${prov}wasDerivedFrom`)).toEqual([
      'https://c.test/a/dials#s1',
    ]);
    expect(objectOf(quads, 'https://c.test/a/dials#s1', `${prov}value`)).toBe('It shows the hour.');
    expect(objectOf(quads, 'https://c.test/a/dials#s1', `${prov}wasQuotedFrom`)).toBe(
      'https://example.org/dial',
    );
    expect(objectOf(quads, `${self}#claimant`, `${rdfs}label`)).toBe('A gnomonist');
    expect(objectOf(quads, `${self}#poster`, `${rdfs}label`)).toBe('owner');
    expect(objectOf(quads, self, 'http://purl.org/nanopub/x/supersedes')).toBe(self.replace('=3', '=2'));
    expect(trig).not.toContain('invalidated');
  });

  it('flags a retracted claim', () => {
    const retracted = {
      reason: 'A cloud passed.',
      at: '2026-01-03T00:00:00.000Z',
      by: 'owner',
      receipt: 'inv_bbbbbbbbbbbbbbbb',
    };
    const quads = readTrig(
      nanopub({ ...publication, claim: { ...claim, status: 'retracted', extra: { retracted } } }),
    );
    expect(objectOf(quads, self, 'http://schema.org/creativeWorkStatus')).toBe('retracted');
    expect(objectOf(quads, self, `${rdfs}comment`)).toBe('A cloud passed.');
    expect(objectOf(quads, `${self}#assertion`, `${prov}wasInvalidatedBy`)).toBe(
      'https://c.test/receipt/inv_bbbbbbbbbbbbbbbb',
    );
  });

  it('gives back every text exactly, and has the same number of statements', () => {
    const expected = readTrig(nanopub(publication)).length;
    fc.assert(
      fc.property(hostile, hostile, hostile, (text, title, quote) => {
        const trig = nanopub({
          ...publication,
          publisher: title,
          claim: { ...claim, text, who_claims: quote },
          sources: [{ ...source, title, quote }],
        });
        expect(nanopubFaults(trig)).toEqual([]);
        const quads = readTrig(trig);
        expect(quads).toHaveLength(expected);
        expect(objectOf(quads, 'https://c.test/a/dials/c1', 'http://schema.org/text')).toBe(whole(text));
        expect(objectOf(quads, 'https://c.test/a/dials#s1', `${prov}value`)).toBe(whole(quote));
        expect(objectOf(quads, `${self}#publisher`, `${rdfs}label`)).toBe(whole(title));
      }),
      runs,
    );
  });

  it('is a nanopublication for any address and time of a source', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          hostile,
          fc.webUrl({ withQueryParameters: true, withFragments: true }),
          hostile.map((rest) => `https://example.org/${rest}`),
        ),
        fc.oneof(hostile, fc.constantFrom('2026-02-31', '2026-02-28', '2026-02-31T00:00:00Z', '2026')),
        (url, accessed) => {
          const trig = nanopub({ ...publication, sources: [{ ...source, url, accessed_at: accessed }] });
          expect(nanopubFaults(trig)).toEqual([]);
        },
      ),
      runs,
    );
  });

  it.each([
    ['2026-02-28T10:00:00.000Z', '"2026-02-28T10:00:00.000Z"^^xsd:dateTime'],
    ['2026-02-28T10:00:00+02:00', '"2026-02-28T10:00:00+02:00"^^xsd:dateTime'],
    ['2026-02-28', '"2026-02-28"^^xsd:date'],
    ['2026-02-31', '"2026-02-31"'],
    ['2026-02-31T10:00:00Z', '"2026-02-31T10:00:00Z"'],
    ['2026-02', '"2026-02"'],
  ])('types the time %s as %s', (accessed, expected) => {
    const trig = nanopub({ ...publication, sources: [{ ...source, accessed_at: accessed }] });
    expect(trig).toContain(`pav:retrievedOn ${expected} .`);
  });
});

function stateOf(claims: readonly Claim[], sources: readonly Source[], title = 'Dials'): ArticleState {
  const times = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-02T00:00:00.000Z' };
  return {
    ...article,
    row: { ...article.row, title, ...times, posted_at: '2026-01-01T12:00:00.000Z' },
    claims: new Map(claims.map((each, i) => [each.id, { n: i + 1, claim: each }])),
    sources: new Map(sources.map((each, i) => [each.id, { n: i + 1, source: each }])),
  } as unknown as ArticleState;
}

const post = {
  id: 'dx_aaaaaaaaaaaaaaaa',
  stance: 'review',
  target: '',
  verdict: 'needs_work',
  actor: 'ada',
  body: 'Cite more.',
  ts: '2026-01-02T00:00:00.000Z',
} as unknown as Post;
const contribution = {
  id: 'mc_aaaaaaaaaaaaaaaa',
  claim_id: 'c1',
  kind: 'objection',
  actor: 'bo',
  body: 'At night it shows none.',
  ts: '2026-01-02T00:00:00.000Z',
  status: 'proposed',
} as unknown as Parameters<typeof articleJsonLd>[0]['contributions'][number];
const published = {
  base: 'https://c.test',
  publisher: 'c.test',
  posts: [{ post, open: false }],
  contributions: [contribution],
  commentCount: 2,
};
const inPage = (json: Parameters<typeof scriptText>[0]): string =>
  `<p>a</p><script type="application/ld+json">${scriptText(json)}</script><p>b</p>`;

describe('the JSON-LD of an article', () => {
  it('has terms of schema.org alone, and joins claims, sources and what was said', async () => {
    const quads = await statementsOf(articleJsonLd({ ...published, state: stateOf([claim], [source]) }));
    const page = 'https://c.test/a/dials';
    const schema = 'http://schema.org/';
    expect(objectOf(quads, page, `${schema}hasPart`)).toBe(`${page}/c1`);
    expect(objectOf(quads, page, `${schema}citation`)).toBe(`${page}#s1`);
    expect(objectOf(quads, `${page}/c1`, `${schema}citation`)).toBe(`${page}#s1`);
    expect(objectOf(quads, page, `${schema}review`)).toBe(`${page}#${post.id}`);
    expect(objectOf(quads, `${page}/c1`, `${schema}review`)).toBe(`${page}#${contribution.id}`);
    expect(objectOf(quads, `${page}#${contribution.id}`, `${schema}claimReviewed`)).toBe(claim.text);
    expect(objectOf(quads, `${page}#s1`, `${schema}url`)).toBe('https://example.org/dial');
  });

  it('stays one script element with the same texts, whatever they hold', () => {
    fc.assert(
      fc.property(hostile, hostile, (title, text) => {
        const state = stateOf([{ ...claim, text }], [{ ...source, title: text }], title);
        const { data, elements } = readPage(inPage(articleJsonLd({ ...published, state })));
        expect(data).toHaveLength(1);
        expect([...elements]).toEqual(['p', 'script']);
        expect(data[0]?.text).not.toMatch(/[<>&\u2028\u2029]/);
        const read = JSON.parse(data[0]?.text ?? '') as { hasPart: [{ text: string }] };
        expect(read.hasPart[0].text).toBe(text);
      }),
      runs,
    );
  });

  it('links no source by another scheme than http and https', () => {
    for (const url of ['javascript:alert(1)', 'data:text/html,x', 'https://', 'doi:10.1/x']) {
      const json = articleJsonLd({ ...published, state: stateOf([claim], [{ ...source, url }]) });
      expect([url, JSON.stringify(json['citation']).includes('"url"')]).toEqual([url, false]);
    }
  });

  it('is bounded for a large article, with the first claims and the count of everything', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => i + 1);
    const long = '<'.repeat(4000);
    const json = articleJsonLd({
      ...published,
      posts: many.slice(0, 500).map((n) => ({ post: { ...post, id: `dx_${n}`, body: long }, open: true })),
      commentCount: 10_500,
      state: stateOf(
        many.map((n) => ({ ...claim, id: `c${n}`, text: long })),
        many.map((n) => ({ ...source, id: `s${n}`, quote: long })),
      ),
    });
    expect(scriptText(json).length).toBeLessThan(60_000);
    expect((json['hasPart'] as { '@id': string }[])[0]?.['@id']).toBe('https://c.test/a/dials/c1');
    expect((json['hasPart'] as object[]).length).toBeGreaterThan(3);
    expect(json['commentCount']).toBe(10_500);
  });
});
