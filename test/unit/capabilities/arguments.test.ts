import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argumentsOf, bodyOfTexts } from '../../../src/domain/capabilities/arguments.ts';
import { callParameters } from '../../../src/domain/capabilities/call-template.ts';
import { escapePart, splitBody, type BodyRule } from '../../../src/domain/capabilities/positional.ts';
import type { Row } from '../../../src/domain/capabilities/row.ts';
import { isFault } from '../../../src/kernel/fault.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { builtInRows } from '../../../src/rows/index.ts';

const row = (key: string): Row => builtInRows.find((each) => each.key === key) as Row;
const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((each) => each.replaceAll('\0', ''));

const refusal = (key: string, body: string, rule?: BodyRule) => {
  const args = argumentsOf(row(key), body, undefined, rule);
  if (!isFault(args)) throw new Error(`${body} was taken: ${JSON.stringify(args)}`);
  return args;
};
const violationsOf = (key: string, body: string): [string, string][] =>
  ((refusal(key, body).details?.['violations'] ?? []) as { code: string; at: string }[]).map(
    ({ code, at }) => [code, at],
  );

describe('a positional body', () => {
  it.each<[string, number, readonly string[]]>([
    ['', 2, ['']],
    ['a|b', 2, ['a', 'b']],
    ['a|b|c|d', 2, ['a', 'b', 'c|d']],
    [String.raw`a\|b|c`, 2, ['a|b', 'c']],
    [String.raw`a\\|b`, 2, ['a\\', 'b']],
    [String.raw`a\\\|b`, 2, [String.raw`a\|b`]],
    [String.raw`a\nb\|c`, 9, [String.raw`a\nb|c`]],
    ['a\\', 9, ['a\\']],
    ['a|', 9, ['a', '']],
    [String.raw`x|c:\\dir\|y\|z`, 1, ['x', String.raw`c:\\dir\|y\|z`]],
    [String.raw`a\|b|c`, 0, [String.raw`a\|b|c`]],
  ])('%s with the rest at %i has the parts %j', (body, restAt, parts) => {
    expect(splitBody(body, restAt, 2)).toEqual(parts);
  });

  it.each<[string, number, readonly string[]]>([
    ['a|b|c|d', 2, ['a', 'b', 'c|d']],
    [String.raw`a\|b|c`, 2, ['a\\', 'b', 'c']],
    [String.raw`a\|b|c`, 1, ['a\\', 'b|c']],
    [String.raw`a\\|b`, 9, [String.raw`a\\`, 'b']],
    ['a|b', 0, ['a|b']],
  ])('%s under rule 1 with the rest at %i has the parts %j', (body, restAt, parts) => {
    expect(splitBody(body, restAt, 1)).toEqual(parts);
  });

  it('gives back any texts whose pipes and backslashes are escaped, and any rest as it is', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), text, (texts, rest) => {
        const joined = texts.map(escapePart).join('|');
        expect(splitBody(joined, Number.POSITIVE_INFINITY, 2)).toEqual(texts);
        expect(splitBody(`${joined}|${rest}`, texts.length, 2)).toEqual([...texts, rest]);
      }),
    );
  });

  it('is refused with more parts than the row has arguments, and says how a pipe is written', () => {
    const { message, fix, details } = refusal('OIP_ARTICLE_REVIEW', 'alpha|sound|One | two.|ada');
    expect(message).toContain('it takes 4 arguments, 5 were given');
    expect(fix).toContain(String.raw`\|`);
    expect(fix).toContain('arg.<name>=<text>');
    expect(Object.keys(details ?? {})).toEqual(expect.arrayContaining(['inputs', 'example']));
    expect(argumentsOf(row('OIP_ARTICLE_REVIEW'), String.raw`alpha|sound|One \| two.|ada`)).toEqual({
      slug: 'alpha',
      verdict: 'sound',
      body: 'One | two.',
      actor: 'ada',
    });
  });
});

describe('a placeholder', () => {
  it.each<[string, string, [string, string][]]>([
    ['OBJECTION_LOG', 'alpha|{objection}', [['placeholder', '/objection']]],
    [
      'OBJECTION_LOG',
      '{slug}|{objection}',
      [
        ['placeholder', '/slug'],
        ['placeholder', '/objection'],
      ],
    ],
    ['MIRROR_APPEND', 'alpha|c1|question|ada|{body}', [['placeholder', '/body']]],
    ['MIRROR_APPEND', 'alpha|c1|question|ada|{actor}', [['placeholder', '/body']]],
    [
      'MIRROR_APPEND',
      '{"slug":"alpha","claim_id":"c1","kind":"question","actor":"ada","body":"{body}"}',
      [['placeholder', '/body']],
    ],
    ['MIRROR_FEED', '{slug}', [['placeholder', '/slug']]],
    ['MIRROR_FEED', 'alpha|{limit}', [['placeholder', '/limit']]],
  ])('in a body of %s, %s, is refused', (key, body, violations) => {
    expect(violationsOf(key, body)).toEqual(violations);
  });

  it.each(['{other}', '{objection} ', 'what {objection} means', '{}', '{"objection"}'])(
    'is not what the text %s is',
    (objection) => {
      expect(argumentsOf(row('OBJECTION_LOG'), `alpha|${objection}`)).toEqual({ slug: 'alpha', objection });
    },
  );

  it('is text under rule 1', () => {
    expect(argumentsOf(row('OBJECTION_LOG'), 'alpha|{objection}', undefined, 1)).toEqual({
      slug: 'alpha',
      objection: '{objection}',
    });
  });
});

describe('named texts', () => {
  const named = (key: string, texts: Record<string, string>): unknown =>
    JSON.parse(bodyOfTexts(row(key), texts));

  it.each<[string, Record<string, string>, JsonObject]>([
    ['OBJECTION_LOG', { slug: 'alpha', objection: 'a|b' }, { slug: 'alpha', objection: 'a|b' }],
    ['OBJECTION_LOG', { slug: 'alpha', objection: '{"a":1}' }, { slug: 'alpha', objection: '{"a":1}' }],
    ['OBJECTION_LOG', { slug: 'alpha', surface: '' }, { slug: 'alpha' }],
    ['OBJECTION_LOG', { slug: 'alpha', objection: '' }, { slug: 'alpha', objection: '' }],
    ['MIRROR_FEED', { slug: 'alpha', limit: '5' }, { slug: 'alpha', limit: 5 }],
    ['MIRROR_FEED', { slug: 'alpha', limit: 'many' }, { slug: 'alpha', limit: 'many' }],
    ['VOXEL_BURN', { slug: 'alpha', ids: 'd1, d2' }, { slug: 'alpha', ids: ['d1', 'd2'] }],
    ['ARTICLE_META', { tags: '["a, b","c"]' }, { tags: ['a, b', 'c'] }],
    ['ARTICLE_META', { home: '1', extra: '{"a":[1]}' }, { home: true, extra: { a: [1] } }],
    ['ARTICLE_META', { home: 'false', hero: 'null' }, { home: false, hero: 'null' }],
    ['SOURCE_POST', { sources: 'x,y' }, { sources: 'x,y' }],
    ['SOURCE_POST', { sources: '[{"url":"u"}]' }, { sources: [{ url: 'u' }] }],
    ['MIRROR_FEED', { sluq: '5' }, { sluq: '5' }],
  ])('of %s, %j, are the arguments %j', (key, texts, args) => {
    expect(named(key, texts)).toEqual(args);
  });

  it('arrive as they are, whatever they hold', () => {
    fc.assert(
      fc.property(text, text, (objection, patch) => {
        expect(named('OBJECTION_LOG', { objection, minimum_patch: patch })).toEqual(
          patch === '' ? { objection } : { objection, minimum_patch: patch },
        );
      }),
    );
  });
});

describe('the address of a call', () => {
  it.each<[string, Record<string, string>, boolean, string]>([
    ['MIRROR_FEED', {}, false, 'invoke=MIRROR_FEED&body={slug}'],
    ['MIRROR_FEED', {}, true, 'invoke=MIRROR_FEED&body={slug}%7C{limit}'],
    ['MIRROR_FEED', { slug: 'alpha' }, true, 'invoke=MIRROR_FEED&body=alpha%7C{limit}'],
    ['OBJECTION_LOG', {}, false, 'invoke=OBJECTION_LOG&arg.slug={slug}&arg.objection={objection}'],
    [
      'OBJECTION_LOG',
      { slug: 'alpha' },
      true,
      'invoke=OBJECTION_LOG&arg.slug=alpha&arg.objection={objection}&arg.surface={surface}&arg.minimum_patch={minimum_patch}&arg.actor={actor}',
    ],
    [
      'MIRROR_APPEND',
      {},
      false,
      'invoke=MIRROR_APPEND&arg.slug={slug}&arg.claim_id={claim_id}&arg.kind={kind}&arg.actor={actor}&arg.body={body}',
    ],
    [
      'MIRROR_APPEND',
      { slug: 'alpha', claim_id: 'c1', actor: 'a|b', kind: 'question' },
      false,
      'invoke=MIRROR_APPEND&body=alpha%7Cc1%7Cquestion%7Ca%5C%7Cb%7C{body}',
    ],
    ['SECRET_SCRUB', {}, false, 'invoke=SECRET_SCRUB&body={secret}'],
    ['PAPER_STATE', {}, true, 'invoke=PAPER_STATE'],
    ['SOURCE_POST', {}, false, 'invoke=SOURCE_POST&arg.slug={slug}&arg.sources={sources}'],
  ])('of %s with %j, all arguments %s, is %s', (key, known, all, address) => {
    expect(callParameters(row(key), known, all)).toBe(address);
  });

  it('has no free text in a positional body but the one that takes the rest', () => {
    const words = 'a | b \\| c';
    for (const each of builtInRows)
      for (const all of [false, true]) {
        const filled = callParameters(each, {}, all).replaceAll(/\{[a-z_0-9]+\}/g, (place) => {
          const {
            type,
            pattern,
            enum: values,
          } = each.input.properties[place.slice(1, -1)] as {
            type?: string;
            pattern?: string;
            enum?: unknown;
          };
          const isFree = type === 'string' && pattern === undefined && values === undefined;
          return isFree ? encodeURIComponent(words) : 'x';
        });
        const body = new URLSearchParams(filled).get('body');
        if (body === null) continue;
        const restAt = each.rest === undefined ? Number.POSITIVE_INFINITY : each.argNames.indexOf(each.rest);
        const parts = splitBody(body, restAt, 2);
        const wanted = parts.map((part, i) => (i === restAt ? words : part === '' ? '' : 'x'));
        expect([each.key, parts]).toEqual([each.key, wanted]);
      }
  });
});
