/** A reader answers a claim in a browser without JavaScript, and sees what came of it (spec §2.10, contract §8). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
import { chromiumPath, launchBrowser, needsChromium, visit } from '../support/browser.ts';
import { startServer, terminalKey, type TestServer } from '../support/server.ts';
import { findings } from './accessibility.ts';

const html = 'text/html; charset=utf-8';
const claimed = {
  tier: 'human',
  who_claims: 'a keeper',
  why_material: 'It is what the article is about.',
};

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await server.article('# On bees\n\nBees dance.\n', { slug: 'on-bees' });
  await server.owner('/api/protocol/claim', {
    slug: 'on-bees',
    text: 'Honey bees dance in the dark.',
    ...claimed,
  });
  await server.owner('/api/protocol/claim', { slug: 'on-bees', text: 'Wasps build with paper.', ...claimed });
});
afterAll(async () => {
  await server.stop();
  expect(server.errors).toEqual([]);
});

describe.skipIf(chromiumPath === undefined)(`a reader with an objection${needsChromium}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it('goes from the claim to the form to the listed objection, which shows the owner’s answer', async () => {
    const reader = await visit(browser, server.base, '/a/on-bees', { javaScriptEnabled: false });
    const { page } = reader;
    await page.getByRole('link', { name: 'Respond to c1' }).click();
    expect(await page.locator('blockquote').textContent()).toBe('Honey bees dance in the dark.');
    expect(await page.getByRole('radio', { name: /^Objection/ }).isChecked()).toBe(true);
    await page.getByLabel('Text', { exact: true }).fill('Nobody could have seen it.');
    await page.getByLabel('Name to sign with').fill('ada');
    await page.getByRole('button', { name: 'Propose it' }).click();
    expect(page.url()).toMatch(/\/a\/on-bees\/c1#mc_[a-z2-7]{16}$/);
    const item = page.locator('.contribution-list > li:target');
    expect(await item.innerText()).toMatch(
      /^proposed\s*objection\s*on c1\s*Nobody could have seen it\.\s*Signed “ada” \(a typed name, not verified\)\./,
    );
    await item.getByRole('link', { name: 'Receipt' }).click();
    expect(await page.locator('.lead').innerText()).toMatch(
      /^The ledger has a call of MIRROR_APPEND, made .* It ran and succeeded\.$/s,
    );

    const owner = await visit(browser, server.base, '/owner', { javaScriptEnabled: false });
    await owner.page.getByLabel('Owner key').fill(terminalKey);
    await owner.page.getByRole('button', { name: 'Log in' }).click();
    await owner.page.getByLabel(/^Note on the objection/).fill('True: it was filmed in red light.');
    await owner.page.getByRole('button', { name: 'Accept' }).click();
    await owner.close();

    await page.goto(`${server.base}/a/on-bees`);
    await page.locator('#c1').getByRole('link', { name: 'objection accepted' }).click();
    expect(await page.locator('.contribution-list > li:target').innerText()).toMatch(
      /^accepted\s*objection[^]*Accepted by the owner: “True: it was filmed in red light\.”, /,
    );
    expect(reader.complaints).toEqual([]);
    await reader.close();
  });

  it('gets a refused form back with the typed text and all errors', async () => {
    const { page, close } = await visit(browser, server.base, '/a/on-bees/propose?claim=c2', {
      javaScriptEnabled: false,
    });
    await page.getByRole('radio', { name: /^Source/ }).check();
    await page.getByLabel('Text', { exact: true }).fill('I read it somewhere.');
    await page.getByLabel('Name to sign with').fill('ada\u202e');
    await page.getByRole('button', { name: 'Propose it' }).click();
    const said = await page.getByRole('alert').innerText();
    expect(said).toMatch(/^Nothing was recorded\./);
    expect(await page.getByRole('alert').getByRole('listitem').count()).toBe(2);
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('I read it somewhere.');
    expect(await page.getByRole('radio', { name: /^Source/ }).isChecked()).toBe(true);
    expect(await findings(page)).toEqual([]);
    const { contributions } = await server.read('/api/articles/on-bees/mirror');
    expect((contributions as { claim_id: string }[]).filter((each) => each.claim_id === 'c2')).toEqual([]);
    await close();
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 400],
  ] as const)('gets an accessible form, %s at %i pixels', async (colorScheme, width) => {
    for (const path of ['/a/on-bees/propose?claim=c1', '/a/on-bees/propose']) {
      const { page, close } = await visit(browser, server.base, path, {
        colorScheme,
        viewport: { width, height: 900 },
      });
      expect([path, await findings(page)]).toEqual([path, []]);
      await close();
    }
  });
});

describe('the proposal form', () => {
  const send = (fields: Readonly<Record<string, string>>, origin: string | undefined) =>
    server.fetch('/a/on-bees/propose', {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(origin === undefined ? {} : { origin }),
      },
      body: new URLSearchParams(fields).toString(),
    });
  const fields = { kind: 'question', actor: 'ada', body: 'Which bees?' };

  it('is accepted from a page of this site only', async () => {
    for (const origin of ['https://elsewhere.example', 'null', undefined]) {
      const refused = await send(fields, origin);
      expect([refused.status, refused.headers.get('content-type')]).toEqual([403, html]);
    }
    const { count } = await server.read('/api/articles/on-bees/mirror');
    const taken = await send(fields, server.base);
    expect(taken.status).toBe(303);
    expect(taken.headers.get('location')).toMatch(/^\/a\/on-bees#mc_[a-z2-7]{16}$/);
    expect((await server.read('/api/articles/on-bees/mirror'))['count']).toBe(Number(count) + 1);
  });

  it('is idempotent: the same form sent again leads to the same contribution', async () => {
    const form = { ...fields, body: 'Which of them?', once: 'form_aaaaaaaaaaaaaaaa' };
    const first = await send(form, server.base);
    const second = await send(form, server.base);
    expect([first.status, second.status]).toEqual([303, 303]);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
  });

  it('is bound to the wording of the claim: when that changed, the form is shown again with its text', async () => {
    const stale = await send({ ...fields, claim: 'c2', claim_hash: 'f'.repeat(64) }, server.base);
    expect(stale.status).toBe(409);
    const page = await stale.text();
    expect(page).toContain('c2 no longer reads as that hash says.');
    expect(page).toContain('Wasps build with paper.');
    expect(page).toMatch(/<textarea[^>]*>Which bees\?<\/textarea>/);
  });

  it('answers with a 404 page for an article or claim that does not exist', async () => {
    for (const path of [
      '/a/nobody/propose',
      '/a/on-bees/propose?claim=c99',
      '/a/on-bees/propose?claim=c1&claim=c2',
    ]) {
      const response = await server.fetch(path);
      expect([path, response.status, response.headers.get('content-type')]).toEqual([path, 404, html]);
    }
  });
});

it('shows an accepted contribution however many were proposed after it', async () => {
  await server.article('# Flood\n\nA text.\n', { slug: 'flood' });
  await server.owner('/api/protocol/claim', { slug: 'flood', text: 'Rivers rise in spring.', ...claimed });
  const propose = (body: string) =>
    server.anybody('/api/articles/flood/mirror', { claim_id: 'c1', kind: 'audit', actor: 'ada', body });
  const first = await propose('Measured at three gauges.');
  const id = (first['contribution'] as { id: string }).id;
  await server.owner(`/api/articles/flood/mirror/${id}/resolve`, { decision: 'accepted' });
  for (let i = 0; i < 51; i++) await propose(`Measurement ${i} of many.`);
  const page = await (await server.fetch('/a/flood')).text();
  expect([
    page.includes(`<a href="#${id}">audit accepted</a>`),
    page.includes('Measured at three gauges.'),
    page.includes('Measurement 0 of many.'),
    page.includes('51 of 52 contributions, the newest and all that were accepted'),
  ]).toEqual([true, true, false, true]);
});
