/** The markup of every page, judged by html-validate as it comes over HTTP, without a browser. */
import { HtmlValidate } from 'html-validate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startJudgedPages, type JudgedPages } from './judged-pages.ts';
import { pageNames } from './page-list.ts';

/** `<br>` or `<br/>` is a question of taste: Preact writes the second. */
const judge = new HtmlValidate({
  root: true,
  extends: ['html-validate:recommended'],
  rules: { 'void-style': 'off' },
});

let pages: JudgedPages;
beforeAll(async () => void (pages = await startJudgedPages()));
afterAll(() => pages.seeded.server.stop());

async function faults(markup: string): Promise<string[]> {
  const { results } = await judge.validateString(markup);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, selector }) => `${ruleId}: ${message} at ${selector ?? '?'}`),
  );
}

describe('the markup', () => {
  it.each(pageNames)('of the page %s is valid', async (name) => {
    expect(await faults(await pages.markup(name))).toEqual([]);
  });

  it('is found invalid where an element is closed by another', async () => {
    expect(await faults('<!DOCTYPE html>\n<p><b>a</p>\n')).not.toEqual([]);
  });
});
