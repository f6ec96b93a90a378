/** Articles in the formats of others, each read by a package that is not ours (docs/linked-data.md). */
import { expect, it } from 'vitest';
import { onBothStores } from '../support/both-stores.ts';
import {
  nanopubFaults,
  objectOf,
  objectsOf,
  type PageData,
  readBibtex,
  readCsl,
  readPage,
  readTrig,
  statementsOf,
} from '../support/linked-data.ts';
import { type Answer, type TestServer, terminalKey } from '../support/server.ts';
import { seedArticles } from './seed.ts';

const schema = 'http://schema.org/';
const prov = 'http://www.w3.org/ns/prov#';
const oa = 'http://www.w3.org/ns/oa#';
const as = 'http://www.w3.org/ns/activitystreams#';
const annotationType = 'application/ld+json; profile="http://www.w3.org/ns/anno.jsonld"';
const hostile = '</script><script>alert(1)</script> "}} \\ {';

const ownerHeaders = { headers: { 'x-terminal-key': terminalKey } };
const textAt = async (server: TestServer, path: string, init?: RequestInit): Promise<string> => {
  const response = await server.fetch(path, init);
  const text = await response.text();
  expect([path, response.status, text.slice(0, 200)]).toEqual([path, 200, text.slice(0, 200)]);
  return text;
};
const documentAt = async (server: TestServer, path: string): Promise<Answer> =>
  JSON.parse(await textAt(server, path)) as Answer;
const pageAt = async (server: TestServer, path: string): Promise<PageData> =>
  readPage(await textAt(server, path));
const dataIn = ({ data }: PageData): Answer => {
  expect(data.map(({ type }) => type)).toEqual(['application/ld+json']);
  return JSON.parse(data[0]?.text ?? '') as Answer;
};
const setTitle = (server: TestServer, title: string): Promise<Answer> =>
  server.owner('/api/dispatch', { key: 'WORKSPACE_SET', body: { name: 'main', title } });

onBothStores(
  'linked data',
  (server) => {
    const base = (): string => server().base;
    const host = (): string => base().replace('http://', '');

    it('stands on the page of an article as JSON-LD, with claims, sources and discourse', async () => {
      await seedArticles(server());
      const page = `${base()}/a/full`;
      const json = dataIn(await pageAt(server(), '/a/full'));
      expect(json).toMatchObject({
        '@type': 'Article',
        url: page,
        name: 'Full',
        keywords: ['proof'],
        articleSection: 'ledger',
        publisher: { '@type': 'Organization', name: host() },
      });
      const quads = await statementsOf(json);
      expect(objectsOf(quads, page, `${schema}hasPart`).toSorted()).toEqual(
        ['c1', 'c2', 'c3'].map((id) => `${page}/${id}`),
      );
      expect(objectOf(quads, `${page}/c1`, `${schema}text`)).toBe(
        'A Merkle tree of two leaves has exactly one inner node.',
      );
      expect(objectOf(quads, `${page}/c3`, `${schema}creativeWorkStatus`)).toBe('retracted');
      expect(objectsOf(quads, page, `${schema}citation`).toSorted()).toEqual(
        ['s1', 's2', 's3'].map((id) => `${page}#${id}`),
      );
      // An objection and an audit of c1 judge the claim; the question does not.
      expect(objectsOf(quads, `${page}/c1`, `${schema}review`)).toHaveLength(2);
      expect(objectsOf(quads, `${page}/c1`, `${schema}comment`)).toHaveLength(1);
      const [review = ''] = objectsOf(quads, page, `${schema}review`);
      expect(objectOf(quads, review, `${schema}reviewBody`)).toBe('Cite more.');
    });

    it('is in the head of the page: citation and preview metadata, and links to every format', async () => {
      const { metadata, alternates } = await pageAt(server(), '/a/full');
      const { posted_at: posted, updated_at: updated } = await server().read('/api/articles/full');
      expect(metadata).toMatchObject({
        citation_title: 'Full',
        citation_author: host(),
        citation_publisher: host(),
        citation_publication_date: String(posted).slice(0, 10).replaceAll('-', '/'),
        citation_public_url: `${base()}/a/full`,
        'og:type': 'article',
        'og:title': 'Full',
        'og:url': `${base()}/a/full`,
        'og:site_name': host(),
        'article:modified_time': updated,
      });
      const api = `${base()}/api/articles/full`;
      expect(alternates).toMatchObject({
        'application/json': api,
        'application/x-bibtex': `${api}/citation?format=bibtex`,
        'application/vnd.citationstyles.csl+json': `${api}/citation?format=csl`,
        'application/ld+json': `${api}/annotations`,
        'application/json+oembed': `${base()}/oembed?url=${encodeURIComponent(`${base()}/a/full`)}`,
      });
      for (const [type, href] of Object.entries(alternates).filter(([, each]) => each.startsWith(base()))) {
        const response = await server().fetch(href.slice(base().length));
        const served = (response.headers.get('content-type') ?? '').split(';')[0];
        expect([href, response.status, served]).toEqual([href, 200, type.replace('+oembed', '')]);
      }
      const { representations } = await server().read('/api/articles/full');
      expect(representations).toMatchObject({
        annotations: `${api}/annotations`,
        bibtex: `${api}/citation?format=bibtex`,
        csl: `${api}/citation?format=csl`,
      });
      const claimPage = await pageAt(server(), '/a/full/c1');
      expect(claimPage.alternates['application/trig']).toBe(`${api}/claims/c1/nanopub`);
    });

    it('is left out of the page of an earlier revision, whose citations name that revision', async () => {
      const html = await textAt(server(), '/a/full?rev=4');
      const { metadata, data } = readPage(html);
      expect([data, metadata['citation_title']]).toEqual([[], undefined]);
      expect(html).toContain('href="/api/articles/full/citation?format=bibtex&amp;rev=4"');
      const [cited] = readBibtex(await textAt(server(), '/api/articles/full/citation?format=bibtex&rev=4'));
      expect(cited).toMatchObject({ note: 'Version 4', URL: `${base()}/a/full?rev=4` });
    });

    it('cites the article in BibTeX and CSL-JSON', async () => {
      const { version } = await server().read('/api/articles/full');
      const url = `${base()}/a/full?rev=${version}`;
      const [fromBibtex] = readBibtex(await textAt(server(), '/api/articles/full/citation?format=bibtex'));
      const [fromCsl] = readCsl(await textAt(server(), '/api/articles/full/citation'));
      expect(fromBibtex).toMatchObject({ title: 'Full', URL: url, author: [{ family: host() }] });
      expect(fromCsl).toMatchObject({ id: 'full', title: 'Full', URL: url, author: [{ literal: host() }] });
      expect(fromCsl?.['issued']).toEqual(fromBibtex?.['issued']);
      expect((await server().fetch('/api/articles/full/citation?format=ris')).status).toBe(400);
    });

    it('shows all discourse as Web Annotations, each with its motivation, target, creator and time', async () => {
      const response = await server().fetch('/api/articles/full/annotations');
      expect(response.headers.get('content-type')).toBe(annotationType);
      const collection = (await response.json()) as Answer;
      const items = (collection['first'] as Answer)['items'] as Answer[];
      const { entries } = await server().read('/api/articles/full/discourse');
      const { votes } = await server().read('/api/articles/full/votes');
      const { contributions } = await server().read('/api/articles/full/contributions');
      const expected = [...(entries as Answer[]), ...(votes as Answer[]), ...(contributions as Answer[])];
      expect(collection['total']).toBe(expected.length);
      expect(items.map(({ id }) => String(id)).toSorted()).toEqual(
        expected.map(({ id }) => `${base()}/a/full#${id}`).toSorted(),
      );
      const of = (tag: string): Answer =>
        items.find(({ body }) => (body as Answer[]).some(({ value }) => value === tag)) as Answer;
      expect(
        ['challenge', 'support', 'upgrade', 'review', 'note'].map((tag) => of(tag)['motivation']),
      ).toEqual(['questioning', 'assessing', 'editing', 'assessing', 'commenting']);
      expect(of('challenge')).toMatchObject({
        target: `${base()}/a/full/d2`,
        creator: { name: 'bo' },
        created: (entries as Answer[]).find(({ stance }) => stance === 'challenge')?.['ts'],
      });
      expect(of('should_retier')).toMatchObject({ motivation: 'moderating', target: `${base()}/a/full/c1` });
      expect(of('audit')['target']).toEqual({
        type: 'SpecificResource',
        source: `${base()}/a/full/c1`,
        selector: {
          type: 'TextQuoteSelector',
          exact: 'A Merkle tree of two leaves has exactly one inner node.',
        },
      });
      const quads = await statementsOf(collection);
      const challenge = String(of('challenge')['id']);
      expect(objectOf(quads, challenge, `${oa}motivatedBy`)).toBe(`${oa}questioning`);
      expect(objectOf(quads, challenge, `${oa}hasTarget`)).toBe(`${base()}/a/full/d2`);
      expect(objectOf(quads, String(collection['id']), `${as}totalItems`)).toBe(String(expected.length));
    });

    it('shows an objection to a claim at the claim, open until it is settled, and what settled it', async () => {
      const { result } = await server().anybody('/api/dispatch', {
        key: 'OBJECTION_LOG',
        body: { slug: 'full/c2', objection: 'The byte is named nowhere.' },
      });
      const id = `${base()}/a/full#${(result as Answer)['entry']['id']}`;
      const at = async (): Promise<Answer> => {
        const { first } = await documentAt(server(), '/api/articles/full/annotations');
        return ((first as Answer)['items'] as Answer[]).find((each) => each['id'] === id) as Answer;
      };
      expect(await at()).toMatchObject({
        motivation: 'assessing',
        target: { source: `${base()}/a/full/c2`, selector: { type: 'TextQuoteSelector' } },
        body: [{ value: 'The byte is named nowhere.' }, { value: 'objection' }, { value: 'open' }],
      });
      const quads = await statementsOf(dataIn(await pageAt(server(), '/a/full')));
      expect(objectsOf(quads, `${base()}/a/full/c2`, `${schema}review`)).toEqual([id]);
      expect(objectOf(quads, id, `${schema}creativeWorkStatus`)).toBe('open');
      await server().owner('/api/dispatch', {
        key: 'THREAD_SETTLE',
        body: { slug: 'full', entry: id.split('#')[1], note: 'The source names it.' },
      });
      expect((await at())['body'].slice(1)).toMatchObject([
        { value: 'The source names it.', purpose: 'replying' },
        { value: 'objection' },
        { value: 'settled' },
      ]);
    });

    it('quotes no longer what a claim does not say any more', async () => {
      const { claims } = await server().read('/api/articles/full/claims');
      await server().owner('/api/protocol/repair', {
        slug: 'full',
        claim_id: 'c1',
        text: 'A Merkle tree of two leaves has one inner node and no more.',
        rationale: 'Plainer.',
        expected_hash: (claims as Answer[])[0]?.['hash'],
      });
      const { first } = await documentAt(server(), '/api/articles/full/annotations');
      const audit = ((first as Answer)['items'] as Answer[]).find(({ body }) =>
        (body as Answer[]).some(({ value }) => value === 'audit'),
      );
      expect(audit?.['target']).toBe(`${base()}/a/full/c1`);
    });

    it('pages annotations, and joins the pages', async () => {
      await server().article('# Long\n\nText.\n', { slug: 'much-said' });
      const at = `${base()}/api/articles/much-said/annotations`;
      expect(await documentAt(server(), '/api/articles/much-said/annotations')).toEqual({
        '@context': 'http://www.w3.org/ns/anno.jsonld',
        id: at,
        type: 'AnnotationCollection',
        total: 0,
        label: 'Discourse on Long',
      });
      for (let n = 1; n <= 101; n++)
        await server().anybody('/api/articles/much-said/mirror', {
          actor: 'ada',
          kind: 'question',
          body: `Is it number ${n}, or the one behind it?`,
        });
      const collection = await documentAt(server(), '/api/articles/much-said/annotations');
      expect(collection).toMatchObject({ total: 101, last: `${at}?page=2`, first: { id: `${at}?page=1` } });
      const first = await documentAt(server(), '/api/articles/much-said/annotations?page=1');
      const second = await documentAt(server(), '/api/articles/much-said/annotations?page=2');
      expect(first).toMatchObject({ startIndex: 0, next: `${at}?page=2`, partOf: { id: at, total: 101 } });
      expect(second).toMatchObject({ startIndex: 100, prev: `${at}?page=1`, type: 'AnnotationPage' });
      expect([first['items'].length, second['items'].length]).toEqual([100, 1]);
      expect(second['items'][0].body[0].value).toBe('Is it number 101, or the one behind it?');
      await statementsOf(second);
      expect((await server().fetch('/api/articles/much-said/annotations?page=3')).status).toBe(404);
      expect((await server().fetch('/api/articles/much-said/annotations?page=0')).status).toBe(400);
    });

    it('gives each claim as a nanopublication, whose address keeps its content', async () => {
      const response = await server().fetch('/api/articles/full/claims/c2/nanopub');
      expect(response.headers.get('content-type')).toBe('application/trig; charset=utf-8');
      const trig = await response.text();
      expect(nanopubFaults(trig)).toEqual([]);
      const self = /^@prefix this: <([^>]+)> \.$/m.exec(trig)?.[1] ?? '';
      expect(self).toMatch(/\/api\/articles\/full\/claims\/c2\/nanopub\?rev=\d+$/);
      expect(await textAt(server(), self.slice(base().length))).toBe(trig);
      const cited = readTrig(await textAt(server(), '/api/articles/full/claims/c3/nanopub'));
      const [of = ''] = cited
        .filter(({ predicate }) => predicate.value === `${prov}invalidatedAtTime`)
        .map(({ subject }) => subject.value);
      expect(objectsOf(cited, of, `${prov}wasDerivedFrom`)).toEqual([
        `${base()}/a/full#s1`,
        `${base()}/a/full#s3`,
      ]);
      expect(objectOf(cited, `${base()}/a/full#s1`, `${prov}value`)).toBe('Merkle Hash Trees');
      expect(
        objectOf(cited, of.replace('#assertion', '#poster'), 'http://www.w3.org/2000/01/rdf-schema#label'),
      ).toBe('owner');
      expect((await server().fetch('/api/articles/full/claims/c99/nanopub')).status).toBe(404);
      expect((await server().fetch('/api/articles/full/claims/d1/nanopub')).status).toBe(404);
    });

    it('names the wording before it, but none from before the publication', async () => {
      const supersedes = async (path: string, init?: RequestInit): Promise<readonly [string, string[]]> => {
        const quads = readTrig(await textAt(server(), path, init));
        const found = quads.filter(
          ({ predicate }) => predicate.value === 'http://purl.org/nanopub/x/supersedes',
        );
        const self = quads.find(
          ({ object }) => object.value === 'http://www.nanopub.org/nschema#Nanopublication',
        );
        return [String(self?.subject.value), found.map(({ object }) => object.value)];
      };
      const at = '/api/articles/full/claims/c1/nanopub';
      const [newest, [second = '']] = await supersedes(at);
      expect([newest === second, second.startsWith(`${base()}${at}?rev=`)]).toEqual([false, true]);
      // The first wording was posted in revision 3, while the article was a draft, and stood in revision 4.
      expect(await supersedes(second.slice(base().length))).toEqual([second, []]);
      expect((await supersedes(`${at}?rev=4`))[0]).toBe(`${base()}${at}?rev=4`);
      expect(await supersedes(second.slice(base().length), ownerHeaders)).toEqual([
        second,
        [`${base()}${at}?rev=3`],
      ]);
    });

    it('is revalidated by ETag, and follows the article and the title of the workspace', async () => {
      const paths = [
        '/a/full',
        '/api/articles/full/citation',
        '/api/articles/full/citation?format=bibtex',
        '/api/articles/full/claims/c2/nanopub',
      ];
      const tags = new Map<string, string>();
      for (const path of [...paths, '/api/articles/full/annotations']) {
        const { headers } = await server().fetch(path);
        expect([path, headers.get('cache-control')]).toEqual([path, 'public, max-age=0, must-revalidate']);
        tags.set(path, headers.get('etag') ?? '');
        const again = await server().fetch(path, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
        expect([path, again.status]).toEqual([path, 304]);
      }
      await setTitle(server(), 'Field notes & more');
      for (const path of paths) {
        const text = await textAt(server(), path);
        expect([path, (await server().fetch(path)).headers.get('etag') === tags.get(path)]).toEqual([
          path,
          false,
        ]);
        expect([path, /Field notes (?:&|&amp;|\\&|\\u0026) more/.test(text)]).toEqual([path, true]);
      }
      const [cited] = readBibtex(await textAt(server(), '/api/articles/full/citation?format=bibtex'));
      expect(cited?.['author']).toEqual([{ family: 'Field notes & more' }]);
    });

    it('never names the owner, whom the title of the workspace may name', async () => {
      const paths = [
        '/a/full',
        '/a/full/c1',
        '/api/articles/full/citation',
        '/api/articles/full/citation?format=bibtex',
        '/api/articles/full/claims/c2/nanopub',
        '/api/articles/full/annotations',
        `/oembed?url=${encodeURIComponent(`${base()}/a/full`)}`,
      ];
      for (const title of [
        'Notes of Imogen Quillfeather',
        'The imogen-quillfeather papers',
        'Quillfeather',
      ]) {
        await setTitle(server(), title);
        for (const path of paths) expect(await textAt(server(), path)).not.toMatch(/imogen|quillfeather/i);
        const [cited] = readCsl(await textAt(server(), '/api/articles/full/citation'));
        expect(cited?.['publisher']).toBe(host());
      }
      await setTitle(server(), 'Field notes');
    });

    it('escapes hostile titles, claims and discourse in every format', async () => {
      await server().article('Text.\n', { slug: 'hostile', title: hostile, tags: [hostile] });
      await server().owner('/api/protocol/sources', {
        slug: 'hostile',
        sources: [
          {
            type: 'review',
            url: 'https://example.org/?q={"x"}|',
            title: hostile,
            quote: `${hostile}\nit says.`,
          },
        ],
      });
      await server().owner('/api/protocol/claim', {
        slug: 'hostile',
        text: 'A page with "quotes", \\ and </script> is one page.',
        tier: 'system',
        who_claims: hostile,
        source_ids: ['s1'],
      });
      await server().anybody('/api/articles/hostile/mirror', {
        actor: hostile,
        kind: 'question',
        body: hostile,
      });
      const page = await pageAt(server(), '/a/hostile');
      const json = dataIn(page);
      await statementsOf(json);
      expect([json['name'], json['keywords']]).toEqual([hostile, [hostile]]);
      expect(page.metadata['citation_title']).toBe(hostile);
      expect(page.metadata['og:title']).toBe(hostile);
      const trig = await textAt(server(), '/api/articles/hostile/claims/c1/nanopub');
      expect(nanopubFaults(trig)).toEqual([]);
      const quads = readTrig(trig);
      expect(objectOf(quads, `${base()}/a/hostile#s1`, `${prov}value`)).toBe(`${hostile}\nit says.`);
      expect(objectOf(quads, `${base()}/a/hostile/c1`, `${schema}text`)).toBe(
        'A page with "quotes", \\ and </script> is one page.',
      );
      const [cited] = readBibtex(await textAt(server(), '/api/articles/hostile/citation?format=bibtex'));
      expect(cited?.['title']).toBe(hostile);
      const { first } = await documentAt(server(), '/api/articles/hostile/annotations');
      expect((first as Answer)['items']).toMatchObject([
        { creator: { name: hostile }, body: [{ value: hostile }, {}, {}] },
      ]);
    });

    it('shows nothing that was scrubbed', async () => {
      const secret = 'Xk9-kumquat-harbour-4417';
      await server().article(`# Scrubbed\n\nText.\n`, { slug: 'scrubbed' });
      await server().owner('/api/protocol/sources', {
        slug: 'scrubbed',
        sources: [
          { type: 'review', url: 'https://example.org/k', title: 'Keys', quote: `The key is ${secret}.` },
        ],
      });
      await server().owner('/api/protocol/claim', {
        slug: 'scrubbed',
        text: 'The page shows the key of the harbour.',
        tier: 'system',
        who_claims: `A page with ${secret}`,
        source_ids: ['s1'],
      });
      await server().anybody('/api/articles/scrubbed/mirror', {
        actor: 'ada',
        kind: 'question',
        body: `Is it ${secret}?`,
      });
      const paths = [
        '/a/scrubbed',
        '/api/articles/scrubbed/annotations',
        '/api/articles/scrubbed/claims/c1/nanopub',
      ];
      for (const path of paths) expect(await textAt(server(), path)).toContain(secret);
      await server().owner('/api/dispatch', { key: 'SECRET_SCRUB', body: { secret } });
      for (const path of paths) expect(await textAt(server(), path)).not.toContain(secret);
      expect(nanopubFaults(await textAt(server(), '/api/articles/scrubbed/claims/c1/nanopub'))).toEqual([]);
    });

    it('shows a draft to the owner, and answers everybody else as for an absent article', async () => {
      await server().article('# Hidden\n\nText.\n', { slug: 'hidden', status: 'draft' });
      await server().owner('/api/protocol/claim', {
        slug: 'hidden',
        text: 'The draft of this article has one claim.',
        tier: 'system',
        who_claims: 'A test',
        why_material: 'It is one.',
      });
      for (const part of ['annotations', 'citation', 'citation?format=bibtex', 'claims/c1/nanopub']) {
        const open = await server().fetch(`/api/articles/hidden/${part}`, ownerHeaders);
        expect([part, open.status, open.headers.get('cache-control')]).toEqual([
          part,
          200,
          'private, no-store',
        ]);
        const closed = await server().fetch(`/api/articles/hidden/${part}`);
        const absent = await server().fetch(`/api/articles/nowhere/${part}`);
        expect([part, closed.status]).toEqual([part, 404]);
        expect((await closed.text()).replaceAll('hidden', 'nowhere')).toBe(await absent.text());
      }
    });
  },
  { COLOPHON_OWNER_NAME: 'Imogen Quillfeather' },
);

onBothStores('/oembed', (server) => {
  const embed = (page: string, more = ''): Promise<Response> =>
    server().fetch(`/oembed?url=${encodeURIComponent(page)}${more}`);

  it('answers for articles, claims and DIVs as links', async () => {
    const { base } = server();
    await seedArticles(server());
    const response = await embed(`${base}/a/full?rev=4#c1`, '&format=json&maxwidth=600&maxheight=400');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const host = base.replace('http://', '');
    expect(await response.json()).toEqual({
      version: '1.0',
      type: 'link',
      title: 'Full',
      author_name: host,
      provider_name: host,
      provider_url: `${base}/`,
      cache_age: 3600,
    });
    for (const [part, title] of [
      ['c1', 'c1 of Full'],
      ['d2', 'd2 of Full'],
    ])
      expect(await (await embed(`${base}/a/full/${part}`)).json()).toMatchObject({ type: 'link', title });
  });

  it('answers 404 for other sites, absent pages, drafts and closed workspaces alike', async () => {
    const { base } = server();
    await server().article('# Hidden\n\nText.\n', { slug: 'hidden', status: 'draft' });
    await server().owner('/api/workspace', { name: 'vault', title: 'Vault', status: 'closed' });
    await server().owner('/api/protocol/voxel-batch?workspace=vault', {
      document: { slug: 'vault--notes', markdown: '# Notes\n\nText.\n' },
    });
    const answers = new Set<string>();
    for (const page of [
      'https://example.org/a/full',
      `${base}.example.org/a/full`,
      `${base}@example.org/a/full`,
      `${base}/`,
      `${base}/a/`,
      `${base}/a/nowhere`,
      `${base}/a/full/c99`,
      `${base}/a/full/d1x`,
      `${base}/a/full/../full`,
      `${base}/a/hidden`,
      `${base}/a/vault--notes`,
      `javascript:alert(1)//${base}/a/full`,
      '',
    ]) {
      // A credential changes nothing: what is embedded is shown to everybody.
      const response = await server().fetch(`/oembed?url=${encodeURIComponent(page)}`, ownerHeaders);
      expect([page, response.status]).toEqual([page, 404]);
      const { error, detail } = (await response.json()) as Answer;
      answers.add(`${String(error)} ${String(detail)}`);
    }
    expect(answers.size).toBe(1);
  });

  it('answers for an open workspace with its title', async () => {
    await server().owner('/api/workspace', { name: 'survey', title: 'The survey', status: 'open' });
    await server().owner('/api/protocol/voxel-batch?workspace=survey', {
      document: { slug: 'survey--notes', markdown: '# Notes\n\nText.\n' },
    });
    expect(await (await embed(`${server().base}/a/survey--notes`)).json()).toMatchObject({
      title: 'Notes',
      provider_name: 'The survey',
    });
  });

  it.each(['', '?url=', '?url=x&format=xml', '?url=x&maxwidth=wide', '?url=x&callback=alert'])(
    'rejects the query "%s"',
    async (query) => {
      expect((await server().fetch(`/oembed${query}`)).status).toBe(query === '?url=' ? 404 : 400);
    },
  );
});
