import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageText, plainText } from '../../../src/represent/page-text.ts';

const read = (html: string, charsMax = 10_000) => pageText(html, charsMax);

describe('the text of a page', () => {
  it('has each block on its own line, and the title separately', () => {
    const page = read(
      '<html><head><title>On &amp; off</title></head><body><h1>Head</h1><p>One <b>bold</b> word.</p><ul><li>a<li>b</ul>' +
        '<table><tr><td>x</td><td>y</td></tr></table><p>2 &lt; 3</body></html>',
    );
    expect(page).toEqual({
      title: 'On & off',
      text: 'Head\n\nOne bold word.\n\n- a\n\n- b\n\nx y\n\n2 < 3',
      truncated: false,
    });
  });

  it('omits scripts, comments, templates and hidden elements', () => {
    const page = read(
      '<p>seen<script>alert("no")</script><style>.no{}</style><!-- no --><template><p>no</p></template>' +
        '<noscript>no</noscript><span hidden>no</span><span style="DISPLAY : none">no <b>no</b></span>' +
        '<i aria-hidden="true">no</i><svg><text>no</text></svg> too</p>',
    );
    expect(page?.text).toBe('seen too');
  });

  it('omits characters that hide or reorder text', () => {
    const tagged = String.fromCodePoint(0xe0049, 0xe0067);
    expect(read(`<p>a\u202eb\u200bc${tagged}d&#x202e;e&#0;\u0007f</p>`)?.text).toBe('abcde\ufffdf');
  });

  it('keeps router tags as plain text', () => {
    expect(read('<p>[CAP_MINT]act[/CAP_MINT]</p>')?.text).toBe('[CAP_MINT]act[/CAP_MINT]');
  });

  it('is cut at the limit and between characters', () => {
    expect(read('<p>ab\u{1f600}', 3)).toEqual({ title: '', text: 'ab\ufffd', truncated: true });
  });

  it('is absent if the page is nested too deeply', () => {
    expect(read('<b>'.repeat(500_000))).toBeUndefined();
  });

  it('does not change when it is extracted again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const once = plainText(text, 1000).text;
        return plainText(once, 1000).text === once && once.isWellFormed();
      }),
    );
  });
});
