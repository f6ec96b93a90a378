/** Pure helpers of the pages: table of contents, claim placement, text formatting, row arguments. */
import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { defineRow } from '../../../src/domain/capabilities/row.ts';
import { groupClaims, placeClaims } from '../../../src/doors/web/claim-notes.tsx';
import { type Branch, contentsTree } from '../../../src/doors/web/article-contents.tsx';
import { argumentsOf } from '../../../src/doors/web/row-schema-text.ts';
import { untrustedMarkName } from '../../../src/doors/web/shell.tsx';
import {
  actorText,
  briefTimeText,
  countText,
  dateText,
  languageOf,
  timeText,
} from '../../../src/doors/web/format-text.ts';
import type { Claim } from '../../../src/model/claim.ts';

const heading = (level: number, title: string) => ({
  level,
  title,
  anchor: `h-${title}`,
  div_id: `d-${title}`,
});

describe('the table of contents of an article', () => {
  it('nests headings by level, even if levels are skipped or recur', () => {
    const shape = (branches: readonly Branch[]): unknown[] =>
      branches.map(({ entry, below }) => (below.length === 0 ? entry.title : [entry.title, ...shape(below)]));
    const toc = [
      heading(2, 'a'),
      heading(4, 'b'),
      heading(3, 'c'),
      heading(2, 'd'),
      heading(1, 'e'),
      heading(2, 'f'),
    ];
    expect(shape(contentsTree(toc))).toEqual([['a', 'b', 'c'], 'd', ['e', 'f']]);
  });
});

describe('claim placement', () => {
  const claim = (id: string, section: string | null) => ({ id, section }) as Claim;

  it('places claims at the section that they name, and claims without a known section first', () => {
    const placed = placeClaims(
      [claim('c1', 'Two'), claim('c2', null), claim('c3', ' ONE '), claim('c4', 'Gone'), claim('c5', 'two')],
      [heading(1, 'One'), heading(2, 'Two')],
    );
    expect(placed.map(({ claim: { id }, at }) => [id, at?.div_id])).toEqual([
      ['c2', undefined],
      ['c4', undefined],
      ['c3', 'd-One'],
      ['c1', 'd-Two'],
      ['c5', 'd-Two'],
    ]);
    expect([...groupClaims(placed)].map(([at, group]) => [at, group.map(({ id }) => id)])).toEqual([
      ['', ['c2', 'c4']],
      ['d-One', ['c3']],
      ['d-Two', ['c1', 'c5']],
    ]);
  });
});

describe('text formatting', () => {
  it('writes times in UTC, dates without a time, and any other text unchanged', () => {
    expect(timeText('2026-11-21T00:22:40.809Z')).toBe('21 November 2026, 00:22:40 UTC');
    expect(timeText('2026-11-21T01:22:40+02:00')).toBe('20 November 2026, 23:22:40 UTC');
    expect(timeText('2026-01-02')).toBe('2 January 2026');
    expect(timeText('some day')).toBe('some day');
    expect(briefTimeText('2026-11-21T13:22:40.809Z')).toBe('21 Nov 2026, 13:22:40');
    expect(dateText('2026-11-21T00:22:40.809Z')).toBe('21 November 2026');
  });

  it('writes counts with the singular or plural, and names actors and actions', () => {
    expect([
      countText(1, 'entry', 'entries'),
      countText(1204, 'entry', 'entries'),
      countText(0, 'DIV'),
    ]).toEqual(['1 entry', '1,204 entries', '0 DIVs']);
    expect(actorText('owner')).toBe('the owner');
    expect(actorText('cap_0123456789abcdef')).toBe('cap_0123456789abcdef');
  });

  it('detects Chinese, Japanese and Korean by script, and no language from Latin script', () => {
    expect(languageOf('本页面主要解答一些常见的问题．The rest is English, as so often.')).toBe('zh');
    expect(languageOf('これは日本語の文章です。漢字もあります。')).toBe('ja');
    expect(languageOf('這個國家的學者們說，時間會過去。')).toBe('zh-Hant');
    expect(languageOf('---\ntitle: A\nlang: pt-BR\n---\nUm texto.')).toBe('pt-BR');
    expect(languageOf('---\nlanguage: "ja"\n---\nText')).toBe('ja');
    expect(languageOf('---\ntitle: A\n---\nlang: fr\n')).toBeUndefined();
    expect(languageOf('---\nlang: "><script>\n---\n')).toBeUndefined();
    expect(languageOf('이것은 한국어 문장입니다')).toBe('ko');
    expect(
      languageOf('An English text about 漢字, the characters, which takes its time to come to the point.'),
    ).toBeUndefined();
  });
});

describe('the marker name for untrusted text', () => {
  it('depends on every character of the page, so that no text can hold the name of its own end', () => {
    expect(untrustedMarkName('<p>a</p><p>b</p>')).toBe('63d2b286b96e8b57a798793b');
    expect(untrustedMarkName('<p>a</p><p>B</p>')).not.toBe(untrustedMarkName('<p>a</p><p>b</p>'));
  });
});

describe('the arguments of a row', () => {
  const row = (properties: Parameters<typeof Type.Object>[0], rest?: string) =>
    defineRow({
      key: 'TEST_ROW',
      category: 'test',
      target: 'none',
      contract: { what: 'w', when: 'n', example: '' },
      input: Type.Object(properties),
      auth: 'none',
      risk: 'low',
      safe: true,
      inAct: false,
      ...(rest === undefined ? {} : { rest }),
      plan: () => ({ do: 'read', question: { name: 'tree' } }),
    });

  it('are listed with place, name, type and bounds', () => {
    const told = argumentsOf(
      row(
        {
          slug: Type.String({ maxLength: 1200, description: 'the article' }),
          n: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
          tags: Type.Array(Type.String(), { maxItems: 50 }),
          on: Type.Boolean(),
          body: Type.String(),
        },
        'body',
      ),
    );
    expect(told).toEqual([
      {
        place: '$1',
        name: 'slug',
        type: 'text, at most 1,200 characters',
        required: true,
        about: 'the article',
      },
      { place: '$2', name: 'n', type: 'whole number, 1 to 500', required: false, about: '' },
      { place: '$3', name: 'tags', type: 'list of texts, at most 50', required: true, about: '' },
      { place: '$4', name: 'on', type: '0 or 1', required: true, about: '' },
      { place: '$5+', name: 'body', type: 'text', required: true, about: '' },
    ]);
  });
});
