/** The images of a text (contract §8): what pages would show only as links, and the text with addresses of ours. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  foreignImagesOf,
  imagesOf,
  replaceImages,
  withoutImages,
} from '../../../src/domain/images/article-images.ts';

const base = 'https://ledger.example';
const own = `/blobs/${'a'.repeat(64)}`;
const url = 'https://img.example/a.png';

describe('images on other hosts', () => {
  it.each([
    [`![One](${url})`, [url], `![One](${own})`],
    [`![One](<${url}> "A title")`, [url], `![One](${own} "A title")`],
    [`![A [nested] label](${url})`, [url], `![A [nested] label](${own})`],
    [`![One][1]\n\n[1]: ${url} "T"`, [url], `![One][1]\n\n[1]: ${own} "T"`],
    [`<img alt='x' src='${url}'>`, [url], `<img alt='x' src='${own}'>`],
    [`<p>\n<img src=${url}>\n</p>`, [url], `<p>\n<img src=${own}>\n</p>`],
    [`- ![One](${url})\n\n> ![Two](${url})`, [url], `- ![One](${own})\n\n> ![Two](${own})`],
    // The link to the page that an image leads to stays.
    [`[![One](${url})](${url})`, [url], `[![One](${own})](${url})`],
    [`[A link](${url})`, [], `[A link](${url})`],
    [`\\![No](${url})`, [], `\\![No](${url})`],
    [
      `\`\`\`\n![Code](${url})\n\`\`\`\n\n![One](${url})`,
      [url],
      `\`\`\`\n![Code](${url})\n\`\`\`\n\n![One](${own})`,
    ],
    [
      `---\ncover: "![x](${url})"\n---\n\n![One](${url})`,
      [url],
      `---\ncover: "![x](${url})"\n---\n\n![One](${own})`,
    ],
    [`![Ours](${own})`, [], `![Ours](${own})`],
    [`![Ours](${base}${own})`, [], `![Ours](${base}${own})`],
    ['![Data](data:image/png;base64,AAAA)', [], '![Data](data:image/png;base64,AAAA)'],
    [`![Twice](${url}) ![Twice](${url})`, [url], `![Twice](${own}) ![Twice](${own})`],
    [`![Query](${url}?a=1&amp;b=2)`, [`${url}?a=1&b=2`], `![Query](${own})`],
    ['![Brackets](https://img.example/a_(b).png)', ['https://img.example/a_(b).png'], `![Brackets](${own})`],
    ['![Ü](https://img.example/ü.png)', ['https://img.example/%C3%BC.png'], `![Ü](${own})`],
  ])('of %j are found and replaced', (text, expected, replaced) => {
    const found = foreignImagesOf(text, base).map((image) => image.url);
    expect(found).toEqual(expected);
    expect(replaceImages(text, new Map(found.map((each) => [each, own])))).toBe(replaced);
  });

  it('are told with what they show', () => {
    expect(imagesOf(`![A *dance*](${url})`)).toEqual([{ url, alt: 'A *dance*' }]);
  });

  it('of any text are all replaced where they are written in one line', () => {
    const word = fc.constantFrom(
      'a',
      '[',
      ']',
      '!',
      '(',
      ')',
      '`',
      '\\',
      ' ',
      '\n',
      '*',
      '<',
      '>',
      `![x](${url})`,
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), (words) => {
        const text = words.join('');
        const found = foreignImagesOf(text, base);
        const after = replaceImages(text, new Map(found.map((each) => [each.url, own])));
        expect(foreignImagesOf(after, base).filter((each) => each.url === url)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('images that are not fetched', () => {
  it.each([
    [`A ![One](${url}) b`, `A [One](${url}) b`, 'A  b'],
    [`![One](<${url}> "A title")`, `[One](<${url}> "A title")`, ''],
    [`![](${url})`, `<${url}>`, ''],
    [`![One][1]\n\n[1]: ${url}`, `[One][1]\n\n[1]: ${url}`, `\n\n[1]: ${url}`],
    [`![1]\n\n[1]: ${url}`, `[1]\n\n[1]: ${url}`, `\n\n[1]: ${url}`],
    [`<img alt="a &lt; b" src="${url}">`, `<a href="${url}">a &lt; b</a>`, ''],
    [`[![One](${url})](https://page.example)`, '[One](https://page.example)', '[](https://page.example)'],
    [`\`\`\`\n![Code](${url})\n\`\`\``, `\`\`\`\n![Code](${url})\n\`\`\``, `\`\`\`\n![Code](${url})\n\`\`\``],
    [`\\![No](${url})`, `\\![No](${url})`, `\\![No](${url})`],
    [`![Other](${url}?b) ![One](${url})`, `![Other](${url}?b) [One](${url})`, `![Other](${url}?b) `],
  ])('of %j become links or go', (text, linked, dropped) => {
    expect(withoutImages(text, new Map([[url, 'link']]))).toBe(linked);
    expect(withoutImages(text, new Map([[url, 'drop']]))).toBe(dropped);
  });
});
