/** What is kept of an answer's words, where the answer came from outside and is as large as one may be. */
import { expect, it } from 'vitest';
import { restoreText, resultTextContent } from '../../../src/domain/capabilities/result-text.ts';

it('stores and restores words that repeat thousands of strings of their result without delay', () => {
  const body = Array.from({ length: 9000 }, (_, i) => `a string from outside, ${String(i).padStart(4, '0')}`);
  const text = JSON.stringify(body);
  const started = performance.now();
  const [content] = resultTextContent({ text, result: { body }, material: [] }, false);
  expect(performance.now() - started).toBeLessThan(500);
  expect(restoreText(content?.value ?? null, { body })).toBe(text);
});

it('stores a string that the words repeat often as a reference to its place', () => {
  const said = 'the very same twenty-eight..';
  const [content] = resultTextContent(
    { text: `${said}${said} ${said}`, result: { said }, material: [] },
    false,
  );
  expect(content?.value).toEqual([{ at: ['said'] }, { at: ['said'] }, ' ', { at: ['said'] }]);
});
