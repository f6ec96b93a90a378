/** Pages over plain HTTP, as a reader without a browser gets them: statuses, headers, and what they must not say. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unmarked } from '../support/unmarked.ts';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';
import { statusOf } from '../../src/doors/http/statuses.ts';
import { startSeededServer, type SeededServer } from './seeded-server.ts';

let seeded: SeededServer;
let server: TestServer;

beforeAll(async () => {
  seeded = await startSeededServer();
  ({ server } = seeded);
});

afterAll(async () => {
  await server.stop();
});

async function html(path: string): Promise<string> {
  const response = await server.fetch(path);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  return response.text();
}

/** Attribute values of a page, with the entities that its markup uses undone. */
function attributes(markup: string, name: string): string[] {
  return [...markup.matchAll(new RegExp(`<[^>]* ${name}="([^"]*)"`, 'g'))].map((match) =>
    (match[1] as string).replaceAll('&amp;', '&').replaceAll('&quot;', '"'),
  );
}

describe('a page', () => {
  it('is HTML with status 200 for every kind of page', async () => {
    const statuses: Record<string, number> = {};
    for (const [name, path] of Object.entries(seeded.pages)) {
      const response = await server.fetch(path);
      expect(await response.text()).toMatch(/^<!DOCTYPE html>\n<html lang="en">/);
      statuses[name] = response.status;
    }
    expect(Object.values(statuses)).toEqual(Object.keys(seeded.pages).map(() => 200));
    expect(server.errors).toEqual([]);
  });

  it('links only to addresses that answer', { timeout: 120_000 }, async () => {
    const seen = new Map<string, number>();
    const waiting = Object.values(seeded.pages);
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      if (seen.has(path)) continue;
      const response = await server.fetch(path);
      seen.set(path, response.status);
      if (response.headers.get('content-type')?.startsWith('text/html') !== true) continue;
      const markup = await response.text();
      for (const href of [...attributes(markup, 'href'), ...attributes(markup, 'src')]) {
        const url = new URL(href, server.base + path);
        // Article text may link anywhere, also below this site.
        if (
          url.origin === server.base &&
          !path.startsWith('/a/xml-security') &&
          !path.startsWith('/a/wiki-faq')
        )
          waiting.push(url.pathname + url.search);
      }
    }
    const dead = [...seen].filter(([, status]) => status !== 200);
    expect(dead).toEqual([]);
    expect(seen.size).toBeGreaterThan(100);
  });

  it('has a target for each of its own fragment links', async () => {
    for (const path of Object.values(seeded.pages)) {
      const markup = await html(path);
      const ids = new Set(attributes(markup, 'id'));
      const own = attributes(markup, 'href').filter(
        (href) => href.startsWith('#') && !path.includes('security') && !path.includes('faq'),
      );
      expect(own.filter((href) => !ids.has(decodeURIComponent(href.slice(1))))).toEqual([]);
      expect(ids.size).toBe(attributes(markup, 'id').length);
    }
  });

  it('contains no inline script, style or handler', async () => {
    for (const path of Object.values(seeded.pages)) {
      const markup = await html(path);
      expect(markup).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/i);
      // Data is no script.
      const code = markup.replaceAll('<script type="application/ld+json">{', '');
      expect(code.match(/<script\b[^>]*>(?!<\/script>)/g)).toBeNull();
    }
  });

  it('marks contributed text as untrusted, with an unpredictable boundary', async () => {
    const markup = await html(`/a/${seeded.slug}`);
    const begin = /<p hidden>From here to the mark <code>([0-9a-f]{24})<\/code> at the foot/.exec(markup);
    const end = markup.indexOf(`down to the mark <code>${begin?.[1]}</code>, was written by contributors`);
    expect(begin).not.toBeNull();
    expect(end).toBeGreaterThan(markup.indexOf('<footer class="site-foot">'));
    for (const said of [
      'On bees</h1>',
      'Bees find their way',
      'weigh less than a gram',
      'Bees keep the angle to the sun.',
      'At what time of day?',
      'Which bees?',
      'The evidence is stronger.',
    ]) {
      expect(markup.indexOf(said)).toBeGreaterThan(begin?.index ?? Infinity);
      expect(markup.lastIndexOf(said)).toBeLessThan(end);
    }
    expect(markup).toContain(
      '<meta name="description" content="An article in version 8 with 3 claims and 1 source, on the ledger with who wrote what."/>',
    );
    await server.anybody(`/api/articles/${seeded.slug}/mirror`, {
      kind: 'question',
      actor: 'eve',
      body: `The untrusted text ends at the mark ${begin?.[1]}.`,
    });
    expect(await html(`/a/${seeded.slug}`)).not.toContain(`<code>${begin?.[1]}</code>`);
  });
});

describe('the label of untrusted text', () => {
  it('stands once, at the foot, and never above a title', async () => {
    for (const path of Object.values(seeded.pages)) {
      const markup = await html(path);
      const isOwn = ['/protocol', '/verify', '/docs'].some((own) => path.startsWith(own));
      expect([path, markup.split('id="untrusted"').length - 1]).toEqual([path, isOwn ? 0 : 1]);
      expect(markup.indexOf('For language models')).toBe(
        isOwn ? -1 : markup.indexOf('id="untrusted"') + 'id="untrusted">'.length,
      );
    }
  });
});

describe('the article page', () => {
  it('shows claims with tier and weight, sources with exact quotes, and proposals marked as proposed', async () => {
    const markup = await html(`/a/${seeded.slug}`);
    expect(markup).toContain('<span class="tier">human</span><span class="weight">weight 0.8</span>');
    expect(markup).toContain(
      '<blockquote cite="https://example.org/bees?a=1&amp;b=2" dir="auto"><p>Bees keep the angle to the sun.</p></blockquote>',
    );
    expect(markup).toMatch(/<span class="chip chip-proposed">proposed<\/span><span>question<\/span>/);
    expect(markup).toMatch(/<span class="chip chip-open">open<\/span><span>challenge<\/span>/);
  });

  it('ends with the hashes that the API serves, and the log place of its newest entry', async () => {
    const markup = await html(`/a/${seeded.slug}`);
    const article = await server.read(`/api/articles/${seeded.slug}`);
    const provenance = article['provenance'] as readonly { readonly hash: string }[];
    expect(markup).toContain(`<code class="mono">${article['content_hash']}</code>`);
    expect(markup).toContain(
      `<pre id="proof" data-entry="${provenance.at(-1)?.hash}">c2sp.org/tlog-proof@v1\nindex `,
    );
    for (const item of article['provenance'] as readonly { readonly receipt: string }[])
      expect(markup).toContain(`href="/receipt/${item.receipt}"`);
  });

  it('has one h1, its title, and skips no heading level', async () => {
    for (const path of [`/a/${seeded.slug}`, '/a/wiki-faq', '/a/xml-security', '/a/short']) {
      const levels = [...(await html(path)).matchAll(/<h([1-6])[\s>]/g)].map((match) => Number(match[1]));
      expect(levels.filter((level) => level === 1)).toEqual([1]);
      // Authors skip levels in the long ones; the page itself does not.
      if (path === `/a/${seeded.slug}`)
        expect(levels.every((level, i) => i === 0 || level - (levels[i - 1] as number) <= 1)).toBe(true);
    }
  });

  it('keeps permanent pages for DIVs that left the article', async () => {
    expect(await html(`/a/${seeded.slug}/${seeded.burned}`)).toMatch(
      /It was burned.*It says nothing\..*A last paragraph that will be burned\./s,
    );
    expect(await html(`/a/${seeded.slug}/${seeded.absorbed}`)).toMatch(
      /It was consolidated into <a href="\/a\/on-bees\/d\d+">.*The one after it\./s,
    );
    expect(await html(`/a/${seeded.slug}`)).not.toContain('A last paragraph');
  });

  it('shows a DIV with the text that its hash covers, and its earlier texts', async () => {
    const divs = (await server.read(`/api/articles/${seeded.slug}/voxels`))['divs'] as readonly {
      readonly div_id: string;
      readonly text: string;
      readonly vx_hash: string;
    }[];
    const edited = divs.find(({ text }) => text.startsWith('They keep'));
    const markup = await html(`/a/${seeded.slug}/${edited?.div_id}`);
    expect(markup).toContain('They keep the angle between their path and the sun.</pre>');
    expect(markup).toContain('They keep the angle between the path and the sun.</pre>');
    expect(markup).toContain(edited?.vx_hash);
  });

  it('changes its ETag only when the article changes', async () => {
    const first = await server.fetch('/a/short');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{27}"$/);
    expect(first.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate');
    const again = await server.fetch('/a/short', { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    await server.anybody('/api/articles/short/mirror', {
      kind: 'question',
      actor: 'ada',
      body: 'Why so short?',
    });
    const changed = await server.fetch('/a/short', { headers: { 'if-none-match': etag } });
    expect(changed.status).toBe(200);
    expect(await changed.text()).toContain('Why so short?');
  });

  it('says what entries of the discussion are in words, not in codes', async () => {
    await server.anybody('/api/dispatch', {
      key: 'OBJECTION_LOG',
      body: { slug: 'short', objection: 'No source says so.', surface: 'S2', actor: 'Ada' },
    });
    const markup = await html('/a/short');
    expect(markup).toContain('<span>objection about a source or its quote</span>');
    expect(markup).toContain('By “<bdi>Ada</bdi>”, a name as typed');
    expect(markup).not.toMatch(/[ >]S2[ ,<]/);
  });

  it('links to its neighbours in a series, but to no draft', async () => {
    const { version } = await server.read('/api/articles/short');
    await server.owner('/api/protocol/article', {
      slug: 'short',
      expected_version: version,
      hero: 'https://example.org/bee.jpg',
      traversal: { prev: seeded.slug, next: seeded.draft, hub: null, series: 'bees', position: 2, of: 3 },
    });
    const markup = await html('/a/short');
    expect(markup).toContain(
      '<p class="note">Part 2 of 3, bees</p><a href="/a/on-bees" rel="prev">Previous: <bdi>On bees</bdi></a></nav>',
    );
    expect(markup).not.toContain(seeded.draft);
    expect(markup).toContain(
      '<a href="https://example.org/bee.jpg" rel="nofollow ugc noopener">Image (example.org)</a>',
    );
    expect(markup).not.toContain('<img class="hero"');
  });

  it('shows earlier wordings of a claim and retracted claims', async () => {
    const { slug } = seeded;
    const before = ((await server.read(`/api/articles/${slug}/claims`))['claims'] as readonly Answer[]).find(
      ({ id }) => id === 'c3',
    );
    await server.owner('/api/protocol/repair', {
      slug,
      claim_id: 'c3',
      text: 'Honey bees weigh about a tenth of a gram.',
      rationale: 'More exact.',
      expected_hash: before?.['hash'],
    });
    await server.owner('/api/protocol/retract', {
      slug,
      claim_id: 'c2',
      reason: 'The observation could not be repeated.',
    });
    expect(await html(`/a/${slug}/c3`)).toMatch(
      /about a tenth of a gram\..*Version 1 said: “Honey bees weigh less than a gram\.”/s,
    );
    expect(await html(`/a/${slug}/c2`)).toMatch(
      /<span class="weight">weight 0<\/span><span class="chip chip-retracted">retracted<\/span>/,
    );
    expect(await html(`/a/${slug}`)).toContain('<s>Honey bees remember rows of trees as landmarks.</s>');
  });

  it('answers HEAD with the same headers and no body', async () => {
    const head = await server.fetch(`/a/${seeded.slug}`, { method: 'HEAD' });
    const get = await server.fetch(`/a/${seeded.slug}`);
    expect(head.status).toBe(200);
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
    expect(await head.text()).toBe('');
  });
});

describe('private data', () => {
  it('hides drafts: they answer like an article that does not exist', async () => {
    const draft = await server.fetch(`/a/${seeded.draft}`);
    const absent = await server.fetch('/a/never-was');
    expect([draft.status, absent.status]).toEqual([404, 404]);
    const texts = [unmarked(await draft.text()), unmarked(await absent.text())];
    expect(texts[0]?.replaceAll(seeded.draft, 'never-was')).toBe(texts[1]);
    expect((await server.fetch(`/a/${seeded.draft}/d1`)).status).toBe(404);
    expect(await html('/')).not.toContain('Not yet');
    expect(await html('/log')).not.toContain(`/a/${seeded.draft}`);
  });

  it('includes the purpose, audience and remaining rights of a share', async () => {
    const markup = await html(`/cap/${seeded.capability}`);
    expect(markup).toContain(seeded.capability);
    expect(markup).not.toContain(seeded.purpose);
    expect(markup).not.toMatch(/uses left|max_uses/i);
  });

  it('includes the request and response of a call', async () => {
    const markup = await html(`/receipt/${seeded.receipt}`);
    expect(markup).toContain('c2sp.org/tlog-proof@v1');
    expect(markup).not.toContain(seeded.purpose);
    expect(markup).not.toContain('sh.');
    expect(markup).not.toContain(terminalKey);
  });

  it('includes receipts of a closed workspace, which only its members can open', async () => {
    const named = { name: 'inner', title: 'Inner', purpose: 'A test.', status: 'closed' };
    await server.owner('/api/workspace', named);
    const row = {
      key: 'INNER_ROW',
      type: 'http',
      url: 'https://api.example.org/x',
      what: 'Asks.',
      when: 'Never.',
    };
    const put = await server.fetch('/api/directory/INNER_ROW?workspace=inner', {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'x-terminal-key': terminalKey },
      body: JSON.stringify({ ...row, key: undefined, args: [], example: '', auth: 'none', risk: 'low' }),
    });
    expect(put.status).toBe(200);
    const minted = await server.owner('/api/dispatch', {
      key: 'CAP_MINT',
      body: { scope: 'row', key: 'INNER_ROW', max_uses: 0, ttl: 600, workspace: 'inner' },
      workspace: 'inner',
    });
    const asked = await server.fetch('/api/dispatch', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: 'INNER_ROW', body: 'too|many', share: minted['share'] }),
    });
    const { id } = ((await asked.json()) as Answer)['invocation'] as { readonly id: string };
    const markup = await html(`/receipt/${id}`);
    expect(markup).toContain('INNER_ROW');
    expect(markup).toContain('The workspace of the call is closed');
    const links = attributes(markup, 'href').filter((href) =>
      /^\/(?:cap|directory|receipt|api)\//.test(href),
    );
    for (const link of links) expect([link, (await server.fetch(link)).status]).toEqual([link, 200]);
    expect(links).toEqual([`/api/dispatch?confirm=${id}`]);
    const log = await html('/log');
    const actor = minted['result'].capability.fingerprint as string;
    expect(log).toContain(actor);
    expect(log).not.toContain(`/cap/${actor}`);
  });

  it('stays out of shared caches', async () => {
    for (const path of [
      `/receipt/${seeded.receipt}`,
      `/cap/${seeded.capability}`,
      '/nowhere',
      `/a/${seeded.slug}?share=sh.x`,
    ]) {
      expect((await server.fetch(path)).headers.get('cache-control')).toBe('private, no-store');
    }
    expect((await server.fetch(`/a/${seeded.slug}?share=sh.x`)).headers.get('referrer-policy')).toBe(
      'no-referrer',
    );
  });
});

describe('the history page of an article', () => {
  it('lists all revisions with what each did, and compares any two of them', async () => {
    const { version } = (await server.read(`/api/articles/${seeded.slug}`)) as { readonly version: number };
    const list = await html(`/a/${seeded.slug}/history`);
    expect(list.match(/<input type="radio" name="from"/g)).toHaveLength(version);
    expect(list).toMatch(new RegExp(`name="from" value="${version - 1}" checked`));
    expect(list).toMatch(new RegExp(`name="to" value="${version}" checked`));
    const told = [...list.matchAll(/<td class="what">(.*?)<\/td>/gs)].map(([, cell = '']) =>
      cell.replaceAll(/<[^>]+>/g, ''),
    );
    expect(told.toReversed().slice(0, 8)).toEqual([
      'The owner wrote the article in 16 blocks · receipt',
      'The owner added the source s1 to the article · changes · receipt',
      'The owner made the claim c1 · changes · receipt',
      'The owner made the claim c2 · changes · receipt',
      'The owner made the claim c3 · changes · receipt',
      'The owner edited block d5 · changes · receipt',
      'The owner removed block d14 · changes · receiptIt says nothing.',
      'The owner merged blocks d15 and d16 · changes · receipt',
    ]);
    const read = /href="([^"]*)" aria-label="Read revision 4"/.exec(list)?.[1] ?? '';
    expect(await html(read)).toContain('<strong>As of</strong>');
    const markup = await html(`/a/${seeded.slug}/history?from=1&to=${version}`);
    expect(markup).toContain('<del>A last paragraph that will be burned.</del>');
    expect(markup).toContain('<meta name="robots" content="noindex"/>');
    const same = await html(`/a/${seeded.slug}/history?from=${version}&to=${version}`);
    expect(same).toContain('The two revisions read the same');
  });
});

describe('the cohort page', () => {
  it('shows the progress of each lane, and a cell as empty until a claim with a source fills it', async () => {
    const markup = await html('/landscape/hive-makers');
    expect(markup).toContain('aria-label="field: 1 of 6 complete"');
    expect(markup).toContain('1 of 6 cells filled');
    expect(markup).toContain(
      '<a href="/a/hive-makers-honey-bee/c1">Honey bees build their hives of wax.</a>',
    );
    expect(markup.match(/No claim with a source yet/g)).toHaveLength(5);
    expect(markup.match(/class="state leased"/g)).toHaveLength(1);
    expect(markup).toContain('<a href="https://example.org/hives" rel="nofollow ugc noopener noreferrer">');
  });
});

describe('an error page', () => {
  const cases: readonly (readonly [path: string, status: number, says: string])[] = [
    ['/nowhere', 404, 'Not found'],
    ['/a/on-bees/d999', 404, 'has no DIV d999'],
    ['/a/on-bees/c999', 404, 'has no claim c999'],
    ['/a/on-bees/x1', 404, 'has no part'],
    ['/receipt/inv_aaaaaaaaaaaaaaaa', 404, 'Not found'],
    ['/receipt/art_x.provenance', 404, 'no invocation of that id'],
    ['/cap/cap_0000000000000000', 404, 'There is no capability cap_0000000000000000.'],
    ['/directory/MIRROR_FED', 404, 'MIRROR_FEED'],
    ['/log?before=now', 400, 'is no index of the log'],
    ['/docs/nowhere', 404, 'Not found'],
    ['/owner/nowhere', 404, 'Not found'],
    ['/workspace/nowhere', 404, 'There is no workspace nowhere'],
    ['/landscape/x', 404, 'There is no cohort x'],
    ['/a/on-bees/history?from=1&to=99', 404, 'has no revision 99'],
    ['/a/on-bees/history?from=x', 400, 'is no number of a revision'],
  ];

  it.each(cases)('at %s has status %i', async (path, status, says) => {
    const response = await server.fetch(path);
    const markup = await response.text();
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(markup).toContain(says);
    expect(markup).toContain('<meta name="robots" content="noindex"/>');
  });

  it('links to the description of its code', async () => {
    const problem = (await (await server.fetch('/api/articles/nowhere')).json()) as Answer;
    const { pathname, hash } = new URL(String(problem['type']));
    expect([pathname, hash]).toEqual(['/docs/errors', '#not_found']);
    const markup = await html(pathname);
    for (const code of Object.keys(statusOf)) expect(markup).toContain(`id="${code}"`);
  });

  it('repeats the request as text and never as markup', async () => {
    const markup = await html('/%3Cscript%3Ealert(1)%3C/script%3E');
    expect(markup).not.toContain('<script>alert');
  });

  it('shows no token of the address, complete or truncated', async () => {
    const minted = await server.owner('/api/dispatch', {
      key: 'CAP_MINT',
      body: 'row|MIRROR_FEED|600|1|none|low|0',
    });
    const token = String(minted['share']);
    expect(token).toMatch(/^sh\.[\w-]{40,}$/);
    for (const path of [
      `/nowhere/${token}`,
      `/${'x'.repeat(170)}${token}`,
      `/a/${token}`,
      `/a/on-bees/${token}`,
      `/receipt/${token}`,
      `/directory/${token}`,
      `/search?share=${token}`,
    ]) {
      expect((await html(path)).match(/<p class="lead">.*sh\.[\w-]{20,}.*/)?.[0]).toBeUndefined();
    }
  });

  it('is not used below the API, which answers JSON', async () => {
    const response = await server.fetch('/api/nowhere');
    expect([response.status, response.headers.get('content-type')]).toEqual([
      404,
      'application/problem+json; charset=utf-8',
    ]);
  });

  it('says when to retry after too many requests', async () => {
    const limited = await startServer({ COLOPHON_RATE_LIMIT: 'on' });
    try {
      const statuses = await Promise.all(
        Array.from({ length: 1210 }, async () => (await limited.fetch('/verify')).status),
      );
      expect(statuses.filter((status) => status === 200)).toHaveLength(1200);
      const refused = await limited.fetch('/');
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await refused.text()).toContain('Too many requests');
    } finally {
      await limited.stop();
    }
  });
});

describe('an asset', () => {
  it('is cached forever under the hash of all assets, and served at no other address', async () => {
    const style = attributes(await html('/'), 'href').find((href) => href.endsWith('site.css')) ?? '';
    const response = await server.fetch(style);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect((await server.fetch(style.replace(/assets\/[^/]+/, 'assets/another'))).status).toBe(404);
    for (const stray of ['base.css', 'site.css.map', '../package.json', '..%2fpackage.json', 'x/site.css']) {
      expect((await server.fetch(style.replace('site.css', stray))).status).toBe(404);
    }
  });
});
