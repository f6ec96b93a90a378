/** The markup of every page, judged by html-validate as it comes over HTTP, without a browser. */
import { HtmlValidate } from 'html-validate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageList } from './page-list.ts';
import { startSeededServer, type SeededServer } from './seeded-server.ts';

/** `<br>` or `<br/>` is a question of taste: Preact writes the second. */
const judge = new HtmlValidate({
  root: true,
  extends: ['html-validate:recommended'],
  rules: { 'void-style': 'off' },
});

let seeded: SeededServer;
beforeAll(async () => void (seeded = await startSeededServer()));
afterAll(() => seeded.server.stop());

async function faults(markup: string): Promise<string[]> {
  const { results } = await judge.validateString(markup);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, selector }) => `${ruleId}: ${message} at ${selector ?? '?'}`),
  );
}

describe('the markup', () => {
  it.each(Object.keys(pageList))('of the page %s is valid', async (name) => {
    expect(await faults(await (await seeded.server.fetch(seeded.pages[name] as string)).text())).toEqual([]);
  });

  it('is found invalid where an element is closed by another', async () => {
    expect(await faults('<!DOCTYPE html>\n<p><b>a</p>\n')).not.toEqual([]);
  });
});
