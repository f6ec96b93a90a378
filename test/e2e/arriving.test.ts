/**
 * The pages of machinery as people read them (contract §8): receipts, shares, rows, the directory, the log, documentation
 * and refusals. A sentence first, then the table, then the raw object; filters with and without JavaScript.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser, needsChromium, visit } from '../support/browser.ts';
import { startServer, type Answer, type TestServer } from '../support/server.ts';
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

const page = async (path: string): Promise<string> => (await server.fetch(path)).text();
const plain = (markup: string | undefined): string =>
  (markup ?? '')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
const sentence = (markup: string): string => plain(/<h1[^>]*>(.*?)<\/h1>/s.exec(markup)?.[1]);
const receiptOf = (answer: Answer): string => String(answer['receipt']?.id ?? answer['invocation']?.id);

describe('a receipt page', () => {
  it('says first, in one sentence, who did what to what', async () => {
    const { slug } = seeded;
    const objected = await server.anybody('/api/dispatch', {
      key: 'OBJECTION_LOG',
      body: { slug: `${slug}/c1`, objection: 'Not at night.', actor: 'ada' },
    });
    const markup = await page(`/receipt/${receiptOf(objected)}`);
    expect(sentence(markup)).toBe('An anonymous caller objected to c1 of On bees.');
    expect(markup).toContain('<a href="/a/on-bees/c1">c1</a>');
    expect(plain(/<p class="lead">(.*?)<\/p>/s.exec(markup)?.[1])).toMatch(/^In the log at \d+\.$/);
    expect(markup).toMatch(/an entry of the discussion on c1<\/a> <span class="chip chip-open">open<\/span>/);
  });

  it('names the decision on a contribution', async () => {
    const { slug } = seeded;
    const proposed = await server.anybody(`/api/articles/${slug}/mirror`, {
      claim_id: 'c1',
      kind: 'objection',
      actor: 'ada',
      body: 'Some use the moon.',
    });
    const rejected = await server.owner('/api/dispatch', {
      key: 'MIRROR_RESOLVE',
      body: `${slug}|${String(proposed['contribution'].id)}|rejected|No source.`,
    });
    expect(sentence(await page(`/receipt/${receiptOf(proposed)}`))).toBe(
      'An anonymous caller contributed to c1 of On bees.',
    );
    expect(sentence(await page(`/receipt/${receiptOf(rejected)}`))).toMatch(
      /^The owner (rejected a proposal for c1 of On bees|decided a contribution)\.$/,
    );
  });

  it('says of a refused call that nothing ran', async () => {
    const minted = await server.owner('/api/dispatch', {
      key: 'CAP_MINT',
      body: 'row|MIRROR_FEED|600|5|none|low|0',
    });
    const refused = await server.fetch('/api/dispatch', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: 'CLAIM_POST', body: {}, share: minted['share'] }),
    });
    const { invocation } = (await refused.json()) as Answer;
    const markup = await page(`/receipt/${String(invocation.id)}`);
    expect(sentence(markup)).toMatch(/^The holder of cap_[0-9a-f]{16} was refused: make a claim\.$/);
    expect(markup).toContain('Nothing ran.');
  });

  it('names no article that is a draft', async () => {
    const hidden = await server.owner('/api/protocol/article', {
      slug: seeded.draft,
      expected_version: 1,
      tags: ['secret'],
    });
    const markup = await page(`/receipt/${receiptOf(hidden)}`);
    expect(sentence(markup)).toBe('The owner changed title, tags or status of an article.');
    expect(markup).not.toContain('Not yet');
  });

  it('folds the entries and the proof away', async () => {
    const markup = await page(`/receipt/${seeded.receipt}`);
    expect(markup).toMatch(/<details class="disclosure"[^>]*id="proof"/);
    expect(markup).toMatch(/<summary>Entries, hashes and commitments \(1\)<\/summary>/);
    expect(markup).not.toContain('<details class="disclosure" open');
  });
});

describe('the page of a share', () => {
  it('says first what its holder may do, and for how long', async () => {
    const markup = await page(`/cap/${seeded.capability}`);
    expect(sentence(markup)).toBe('Its holder may propose a contribution.');
    expect(plain(/<p class="lead">(.*?)<\/p>/s.exec(markup)?.[1])).toMatch(
      /^It is valid until .* UTC\. Made by the owner, /,
    );
    expect(markup).toContain('the owner</span> made a share or key');
  });

  it('says that it was revoked', async () => {
    const minted = await server.owner('/api/dispatch', {
      key: 'CAP_MINT',
      body: { scope: 'rows', keys: ['MIRROR_FEED', 'OBJECTION_LOG'], ttl: 600, max_uses: 5 },
    });
    const { fingerprint } = minted['result'];
    await server.owner('/api/dispatch', { key: 'CAP_REVOKE', body: String(fingerprint) });
    const markup = await page(`/cap/${String(fingerprint)}`);
    expect(sentence(markup)).toBe(
      'Its holder could read the contributions to an article and file an objection.',
    );
    expect(markup).toContain('It was revoked');
  });
});

describe('the directory', () => {
  const keys = (markup: string): readonly string[] =>
    [
      ...markup.matchAll(
        /<div data-words="[^"]*" data-auth="[^"]*"(?<hidden> hidden)?>.*?data-copy[^>]*>([A-Z_]+)</gs,
      ),
    ]
      .filter(({ groups }) => groups?.['hidden'] === undefined)
      .map(([, , key = '']) => key);

  it('filters by words and by who may call, without JavaScript', async () => {
    const all = keys(await page('/directory'));
    expect(all).toContain('OBJECTION_LOG');
    const found = keys(await page('/directory?q=file+objection'));
    expect(found).toContain('OBJECTION_LOG');
    expect(found.length).toBeLessThan(6);
    const owners = keys(await page('/directory?who=owner'));
    expect(owners).toContain('ARTICLE_REWRITE');
    expect(owners).not.toContain('OBJECTION_LOG');
    const none = await page('/directory?q=xyzzy');
    expect(keys(none)).toEqual([]);
    expect(none).toContain('No row has these words.');
  });

  it('has a form for a row that calls it, with a field for each argument', async () => {
    const markup = await page('/directory/ARTICLE_INSPECT');
    const form = /<form class="try".*?<\/form>/s.exec(markup)?.[0] ?? '';
    const fields = [...form.matchAll(/name="([^"]+)"/g)].map(([, name]) => name);
    expect(fields).toEqual(['invoke', 'arg.slug', 'arg.part']);
    const called = await server.fetch(
      '/api/dispatch?invoke=ARTICLE_INSPECT&arg.slug=on-bees&arg.part=claims',
    );
    expect(called.status).toBe(200);
  });

  it('rehearses a row that writes unless the reader asks for more', async () => {
    const markup = await page('/directory/OBJECTION_LOG');
    const form = /<form class="try".*?<\/form>/s.exec(markup)?.[0] ?? '';
    expect(form).toMatch(/<input type="checkbox" name="shape" value="1" checked/);
    expect(form).toContain('name="share"');
    expect(await page('/directory/KEY_MINT')).not.toContain('<form class="try"');
  });
});

describe('the log page', () => {
  it('tells each act once, in plain words, with its receipt', async () => {
    const markup = await page('/log');
    const rows = [...markup.matchAll(/<tr [^>]*id="entry-\d+"[^>]*>(.*?)<\/tr>/gs)].map(([, row]) =>
      plain(row),
    );
    expect(rows.some((row) => row.includes('an anonymous caller objected to On bees receipt'))).toBe(true);
    expect(rows.some((row) => /the owner made a share receipt/.test(row))).toBe(true);
    expect(markup).not.toMatch(/\bsuccess\b/);
  });

  it('says of an empty log what it will show', async () => {
    const empty = await startServer();
    try {
      expect(await (await empty.fetch('/log')).text()).toContain('Nothing has happened here yet.');
    } finally {
      await empty.stop();
    }
  });
});

describe('the documentation', () => {
  it('is for people first, and renders the guides with links among them', async () => {
    const docs = await page('/docs');
    expect(docs).toContain('What would you like to do?');
    const guides = [...docs.matchAll(/href="(\/docs\/guides\/[a-z-]+)"/g)].map(([, href = '']) => href);
    expect(new Set(guides).size).toBe(19);
    for (const href of new Set(guides)) {
      const response = await server.fetch(href);
      const markup = await response.text();
      expect([href, response.status]).toEqual([href, 200]);
      for (const [, to = ''] of markup.matchAll(/href="(\/[^"#]*)/g))
        expect([href, to, (await server.fetch(to, { method: 'HEAD', redirect: 'manual' })).status]).toEqual([
          href,
          to,
          200,
        ]);
      expect(markup).not.toMatch(/href="[^"]*\.md/);
    }
    expect((await server.fetch('/docs/guides/nothing')).status).toBe(404);
  });

  it('says of each error what happened before it names the code', async () => {
    const markup = await page('/docs/errors');
    expect(markup).toMatch(
      /id="hash_stale"><dt>The text has changed since it was read; nothing was written\. <span class="status"><code>hash_stale<\/code> 409/,
    );
    expect(markup).toContain('The text moved while you wrote');
  });
});

describe('a refusal', () => {
  it('of an unknown article leads to the nearest one and to a search for its name', async () => {
    const response = await server.fetch('/a/on-bee');
    const markup = await response.text();
    expect(response.status).toBe(404);
    expect(markup).toContain('There is no article on-bee.');
    expect(markup).toMatch(/Did you mean <a href="\/a\/on-bees">on-bees<\/a>/);
    expect(markup).toMatch(/name="q"[^>]*value="on-bee"/);
    expect(markup).toContain('href="/docs/errors#not_found"');
  });

  it('of an unknown part leads to the article', async () => {
    const markup = await page('/a/on-bees/c99');
    expect(plain(markup)).toContain('The article on-bees has no claim c99.');
    expect(markup).toMatch(/<a href="\/a\/on-bees">Open the article<\/a>/);
  });

  it('puts nothing into the search field that may be a token', async () => {
    const token = `sh.${'a'.repeat(48)}`;
    const markup = await page(`/a/${token}`);
    expect(markup).toContain('id="error-q"');
    expect(markup).not.toContain('aaaaaaaaaa');
  });
});

describe.skipIf(chromiumPath === undefined)(`in a browser${needsChromium}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  it('filters the directory while the reader types', async () => {
    const { page: tab, complaints, close } = await visit(browser, server.base, '/directory');
    await tab.getByLabel('Filter').fill('objection file');
    await expect.poll(() => tab.locator('#directory-count').innerText()).toMatch(/^\d of \d+ rows$/);
    expect(await tab.getByRole('link', { name: 'File an objection' }).isVisible()).toBe(true);
    expect(await tab.getByRole('link', { name: 'Make a workspace' }).isVisible()).toBe(false);
    await tab.getByLabel('Filter').fill('xyzzy');
    expect(await tab.locator('#directory-none').isVisible()).toBe(true);
    expect(complaints).toEqual([]);
    await close();
  });

  it('calls a row from its page and shows the answer', async () => {
    const { page: tab, close } = await visit(browser, server.base, '/directory/MIRROR_FEED');
    await tab.getByLabel('slug').fill('on-bees');
    await tab.getByRole('button', { name: 'Call it' }).click();
    await tab.waitForURL(/\/api\/dispatch\?invoke=MIRROR_FEED/);
    expect(await tab.content()).toContain('At what time of day?');
    await close();
  });
});
