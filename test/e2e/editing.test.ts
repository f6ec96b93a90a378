/**
 * Writing at the desk in a browser (contract §8, the workbench): a correction by keyboard, drafts, two tabs in conflict, a
 * claim made of selected words, and the same without JavaScript.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { chromiumPath, launchBrowser, needsChromium, visit, type Visit } from '../support/browser.ts';
import { startServer, terminalKey, type TestServer } from '../support/server.ts';
import { storeEnvironments } from '../support/store-environments.ts';
import { findings } from './accessibility.ts';

let browser: Browser;
beforeAll(async () => {
  if (chromiumPath !== undefined) browser = await launchBrowser();
});
afterAll(() => browser?.close());

const text = '# On bees\n\nBees dance to tell where food is.\n\nThey see ultraviolet light.\n';

async function atDesk(
  server: TestServer,
  path: string,
  options: Parameters<typeof visit>[3] = {},
): Promise<Visit> {
  const opened = await visit(browser, server.base, '/owner', options);
  await signIn(opened.page);
  await opened.page.goto(server.base + path);
  return opened;
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Owner key, share or API key').fill(terminalKey);
  await page.getByRole('button', { name: 'Log in' }).click();
}

const bodyOf = async (server: TestServer, slug: string): Promise<unknown> =>
  (await server.owner('/api/dispatch', { key: 'ARTICLE_INSPECT', body: `${slug}|voxels` }))['result'][
    'voxels'
  ]['divs'].map((div: { text: string }) => div.text);

/** The Markdown editor, which stands in a shadow root. */
const editor = (page: Page) => page.locator('.cm-content[aria-label="Text, in Markdown"]');

/** Puts the cursor behind the last character of a line, and types. */
async function typeBehind(page: Page, line: string, typed: string): Promise<void> {
  await editor(page).getByText(line, { exact: true }).click();
  await page.keyboard.press('End');
  await page.keyboard.type(typed);
}

describe.skipIf(chromiumPath === undefined).each(storeEnvironments())(
  `an owner who corrects a paragraph, on $name${needsChromium}`,
  ({ start, env, stop }) => {
    let server: TestServer;
    beforeAll(async () => {
      await start();
      server = await startServer(await env());
      await server.article(text, { slug: 'on-bees' });
    });
    afterAll(async () => {
      await server.stop();
      await stop();
      expect(server.errors).toEqual([]);
    });

    it('needs four steps: open, type, Ctrl+Enter, a note', async () => {
      const { page, complaints, close } = await atDesk(server, '/owner/a/on-bees');
      await page.getByRole('link', { name: 'Edit', exact: true }).click();
      await typeBehind(page, 'They see ultraviolet light.', ' It guides them.');
      await page.keyboard.press('Control+Enter');
      await page.keyboard.type('Said why.');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/owner\/a\/on-bees\?done=inv_/);
      expect(await page.locator('.console-notice').innerText()).toMatch(
        /^Saved as revision 2: 1 block changed\. Receipt inv_/,
      );
      expect(await bodyOf(server, 'on-bees')).toEqual([
        '# On bees',
        'Bees dance to tell where food is.',
        'They see ultraviolet light. It guides them.',
      ]);
      expect(complaints).toEqual([]);
      await close();
    });

    it('needs no mouse from the public page: step to the block, e, type, Ctrl+Enter, a note', async () => {
      await server.article(text, { slug: 'stepped' });
      const { page, complaints, close } = await atDesk(server, '/a/stepped');
      await page.keyboard.press('j');
      await page.locator('#d2').focus();
      await page.keyboard.press('e');
      await page.waitForURL(/\/owner\/a\/stepped\/edit\?block=d2$/);
      await page.locator('.cm-content[aria-label="Block d2, in Markdown"]:focus').waitFor();
      await page.keyboard.press('Control+End');
      await page.keyboard.type(' Always.');
      await page.keyboard.press('Control+Enter');
      await page.keyboard.type('Said when.');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/owner\/a\/stepped\?done=inv_/);
      expect(await bodyOf(server, 'stepped')).toEqual([
        '# On bees',
        'Bees dance to tell where food is. Always.',
        'They see ultraviolet light.',
      ]);
      expect(complaints).toEqual([]);
      await close();
    });
  },
);

describe.skipIf(chromiumPath === undefined)(`the editor${needsChromium}`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => {
    await server.stop();
    expect(server.errors).toEqual([]);
  });

  it('shows what changed while one types, and keeps a draft until it is saved', async () => {
    await server.article(text, { slug: 'drafted' });
    const { page, complaints, strays, close } = await atDesk(server, '/owner/a/drafted/edit');
    await typeBehind(page, 'Bees dance to tell where food is.', ' **Always.**');
    await page.locator('.preview-block[data-change="edited"] strong').waitFor();
    await page.getByText(/^Draft saved .* · 1 block changed$/).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Go on with it' }).click();
    expect(await editor(page).innerText()).toContain('food is. **Always.**');
    await page.keyboard.press('Control+s');
    await page.keyboard.type('Stress.');
    await page.keyboard.press('Enter');
    await page.waitForURL(/done=inv_/);
    await page.goto(`${server.base}/owner/a/drafted/edit`);
    expect(await page.getByRole('button', { name: 'Go on with it' }).count()).toBe(0);
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
    expect([complaints, strays]).toEqual([[], []]);
    await close();
  });

  it('keeps the drafts of two tabs apart, and asks before unsaved words are left', async () => {
    await server.article(text, { slug: 'tabbed' });
    const { page, close } = await atDesk(server, '/owner/a/tabbed/edit');
    const other = await page.context().newPage();
    await other.goto(`${server.base}/owner/a/tabbed/edit`);
    await typeBehind(page, 'They see ultraviolet light.', ' First tab.');
    await page.getByText(/^Draft saved/).waitFor();
    await typeBehind(other, 'They see ultraviolet light.', ' Second tab.');
    await other.getByText(/^Draft saved/).waitFor();
    await other.reload();
    await other.getByText(/^Another tab of this browser is writing this text/).waitFor();
    expect(await other.getByRole('button', { name: 'Go on with it' }).count()).toBe(1);
    await other.getByRole('button', { name: 'Go on with it' }).click();
    expect(await editor(other).innerText()).toContain('ultraviolet light. Second tab.');
    const asked = page.waitForEvent('dialog');
    await page.locator('.crumbs').getByRole('link', { name: 'Articles' }).click({ noWaitAfter: true });
    expect((await asked).type()).toBe('beforeunload');
    await page.waitForURL(/\/owner\/articles$/);
    expect(await page.evaluate(() => Object.keys(localStorage).length)).toBe(2);
    await close();
  });

  it('takes pasted rich text as Markdown, counts words, and tells of a taken address', async () => {
    const { page, complaints, close } = await atDesk(server, '/owner/new');
    await editor(page).click();
    await editor(page).evaluate((target) => {
      const data = new DataTransfer();
      data.setData('text/plain', 'plain');
      data.setData(
        'text/html',
        '<h2>Bees</h2><p>They <strong>dance</strong> in the <a href="https://example.org/d">dark</a>: 2*3.</p>' +
          '<ul><li>one</li><li>two<ol><li>deep</li></ol></li></ul><table><tr><th>a</th><th>b</th></tr>' +
          '<tr><td>1|2</td><td>3</td></tr></table><script>alert(1)</script>',
      );
      target.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    });
    await page.getByText('17 words').waitFor();
    await page.locator('#title[placeholder="Bees"]').waitFor();
    await server.article(text, { slug: 'taken-here' });
    await page.getByText('Tags, series, category, address').click();
    await page.getByLabel('Address').fill('taken-here');
    await page.getByText('An article has the address taken-here already.').waitFor();
    await page.getByLabel('Address').fill('');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.waitForURL(/done=inv_/);
    const [, slug = ''] = /\/owner\/a\/([a-z-]+)/.exec(page.url()) ?? [];
    expect(await bodyOf(server, slug)).toEqual([
      '## Bees',
      'They **dance** in the [dark](https://example.org/d): 2\\*3.',
      '- one\n- two\n  1. deep',
      '| a | b |\n| --- | --- |\n| 1\\|2 | 3 |',
    ]);
    expect(complaints).toEqual([]);
    await close();
  });

  it('lists pictures of other hosts while one types, and says which cannot be fetched', async () => {
    await server.article(text, { slug: 'pictured' });
    const { page, strays, close } = await atDesk(server, '/owner/a/pictured/edit');
    expect(await page.getByRole('group', { name: 'Pictures on other hosts' }).isVisible()).toBe(false);
    await typeBehind(page, 'They see ultraviolet light.', ' ![A bee](http://10.0.0.1/bee.png)');
    const group = page.getByRole('group', { name: 'Pictures on other hosts' });
    await group.getByLabel('Fetch this picture and serve it from here').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByLabel('What you changed, and why').fill('A picture.');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('1 picture could not be fetched.').waitFor();
    expect(await group.innerText()).toMatch(/10\.0\.0\.1\/bee\.png \(A bee\): .*not public/);
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.waitForURL(/done=inv_/);
    expect(await bodyOf(server, 'pictured')).toEqual([
      '# On bees',
      'Bees dance to tell where food is.',
      'They see ultraviolet light. [A bee](http://10.0.0.1/bee.png)',
    ]);
    expect(strays).toEqual([]);
    await close();
  });

  it('merges two tabs, and asks where both changed the same words', async () => {
    await server.article(text, { slug: 'fought' });
    const first = await atDesk(server, '/owner/a/fought/edit');
    const second = await atDesk(server, '/owner/a/fought/edit');
    await typeBehind(first.page, 'Bees dance to tell where food is.', ' And water.');
    await typeBehind(second.page, 'Bees dance to tell where food is.', ' And wax.');
    await typeBehind(second.page, 'They see ultraviolet light.', ' Not red.');
    await first.page.getByLabel('What you changed, and why').fill('Water.');
    await first.page.getByRole('button', { name: 'Publish' }).click();
    await first.page.waitForURL(/done=inv_/);
    await second.page.getByLabel('What you changed, and why').fill('Wax.');
    await second.page.getByRole('button', { name: 'Publish' }).click();
    const { page } = second;
    await page.getByRole('heading', { name: 'The article changed while you wrote' }).waitFor();
    expect(await page.getByRole('alert').innerText()).toMatch(
      /Revision 2: the owner edited the article, .*“Water\.”/s,
    );
    expect(await page.getByRole('group', { name: /^Block d2, changed by the owner/ }).innerText()).toMatch(
      /Theirs.*And water\..*Yours.*And wax\./s,
    );
    expect(await findings(page)).toEqual([]);
    // What was decided survives a reload of the page as well.
    await page.getByLabel('Merged').fill('Bees dance to tell where food, water and wax are.');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.waitForURL(/done=inv_/);
    expect(await bodyOf(server, 'fought')).toEqual([
      '# On bees',
      'Bees dance to tell where food, water and wax are.',
      'They see ultraviolet light. Not red.',
    ]);
    await first.close();
    await second.close();
  });

  it('makes a claim of the selected words without leaving the text', async () => {
    await server.article(text, { slug: 'claimed' });
    const { page, complaints, close } = await atDesk(server, '/owner/a/claimed/edit');
    await typeBehind(page, 'They see ultraviolet light.', ' Unsaved.');
    await editor(page).getByText('Bees dance to tell where food is.', { exact: true }).click();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+End');
    await page.getByRole('link', { name: 'Make a claim' }).click();
    const dialog = page.getByRole('dialog', { name: 'Make a claim' });
    expect(await dialog.getByLabel('Claim', { exact: true }).inputValue()).toBe(
      'Bees dance to tell where food is.',
    );
    await dialog.getByLabel('Who claims it').fill('a keeper');
    await dialog.getByLabel('Claim', { exact: true }).fill('Why do bees dance?');
    const field = dialog.locator('.field', { has: page.getByLabel('Claim', { exact: true }) });
    await field.getByText('A question asserts nothing.').waitFor();
    expect(await dialog.getByLabel('Claim', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    expect(await dialog.getByRole('status').innerText()).toBe('2 remarks on “Claim”, “Why it matters”.');
    await dialog.getByLabel('Claim', { exact: true }).fill('Honey bees dance in the dark.');
    await dialog.getByLabel('Why it matters').fill('It is what the article is about.');
    await dialog.getByText('Every rule is kept.').waitFor();
    expect(await findings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Make the claim' }).click();
    await page.getByText(/The claim is made: c1\./).waitFor();
    expect(await editor(page).innerText()).toContain('ultraviolet light. Unsaved.');
    // The claim made a version; the text is saved on top of it.
    await page.getByLabel('What you changed, and why').fill('A word.');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.waitForURL(/done=inv_/);
    await page.locator('.preview-claims').getByText('Honey bees dance in the dark.').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('loses nothing when the session ends before it is saved', async () => {
    await server.article(text, { slug: 'ended' });
    const { page, close } = await atDesk(server, '/owner/a/ended/edit');
    await typeBehind(page, 'They see ultraviolet light.', ' Still here.');
    await page.context().clearCookies();
    await page.getByLabel('What you changed, and why').fill('Late.');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('The login has ended.').waitFor();
    await signIn(page);
    await page.getByRole('button', { name: 'Back to the text' }).click();
    expect(await editor(page).innerText()).toContain('ultraviolet light. Still here.');
    expect(await page.getByLabel('What you changed, and why').inputValue()).toBe('Late.');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.waitForURL(/done=inv_/);
    await close();
  });

  it('takes letters that are keys of the page as text', async () => {
    await server.article(text, { slug: 'lettered' });
    const { page, close } = await atDesk(server, '/owner/a/lettered/edit');
    await typeBehind(page, 'They see ultraviolet light.', ' /? gh je k');
    expect(await editor(page).innerText()).toContain('ultraviolet light. /? gh je k');
    expect(await page.locator('dialog').count()).toBe(0);
    await close();
  });

  it('leads through the sign-in to the page that was asked for', async () => {
    await server.article(text, { slug: 'asked' });
    const { page, close } = await visit(browser, server.base, '/owner/a/asked/edit?block=d2');
    await signIn(page);
    await page.waitForURL(/\/owner\/a\/asked\/edit\?block=d2$/);
    expect(await page.getByRole('textbox').count()).toBeGreaterThan(0);
    await close();
  });

  it('leaves with Esc, and offers the draft on the way back', async () => {
    await server.article(text, { slug: 'left' });
    const { page, close } = await atDesk(server, '/owner/a/left/edit');
    await typeBehind(page, 'They see ultraviolet light.', ' Later.');
    await page.keyboard.press('Escape');
    await page.waitForURL(/\/owner\/a\/left$/);
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByRole('button', { name: 'Discard it' }).click();
    await page.reload();
    expect(await page.getByRole('button', { name: 'Discard it' }).count()).toBe(0);
    await close();
  });

  it('writes, previews, merges and decides without JavaScript', async () => {
    const plain = { javaScriptEnabled: false };
    const { page, complaints, close } = await atDesk(server, '/owner/articles', plain);
    await page.getByRole('link', { name: 'New article' }).click();
    await page.getByLabel('Text, in Markdown').fill('# On wasps\n\nWasps build with paper.\n');
    await page.getByRole('button', { name: 'Preview' }).click();
    expect(await page.locator('.preview-blocks').innerText()).toContain('Wasps build with paper.');
    await page.getByRole('button', { name: 'Create' }).click();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('On wasps');
    await page.getByRole('link', { name: 'Make a claim' }).click();
    await page.getByLabel('Who claims it').fill('a keeper');
    await page.getByLabel('Words of the text').selectOption({ label: 'Wasps build with paper.' });
    await page.getByRole('button', { name: 'Take them' }).click();
    expect(await page.getByLabel('Claim', { exact: true }).inputValue()).toBe('Wasps build with paper.');
    expect(await page.getByLabel('Who claims it').inputValue()).toBe('a keeper');
    await page.getByLabel('Why it matters').fill('It is what the article is about.');
    await page.getByRole('button', { name: 'Make the claim' }).click();
    expect(await page.locator('.console-notice').innerText()).toMatch(/^The claim is made: c1\./);
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    const other = await atDesk(server, '/owner/a/on-wasps/edit?block=d2', plain);
    await other.page.getByLabel('Block d2, in Markdown').fill('Wasps build with grey paper.');
    await other.page.getByLabel('What you changed, and why').fill('Colour.');
    await other.page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByLabel('Text, in Markdown').fill('# On wasps\n\nWasps build with white paper.\n');
    await page.getByLabel('What you changed, and why').fill('Another.');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByLabel('Merged').fill('Wasps build with grey and white paper.');
    await page.getByRole('button', { name: 'Publish' }).click();
    expect(await page.locator('.console-notice').innerText()).toMatch(
      /^Saved as revision 4: 1 block changed/,
    );
    expect(await page.locator('.desk-facts .chip').innerText()).toBe('published');
    // The merge is the answer to a save that was refused.
    expect(complaints).toEqual([expect.stringContaining('status of 409')]);
    await other.close();
    await close();
  });
});
