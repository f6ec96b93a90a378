import { expect, it } from 'vitest';
import { callOfForm, fieldOf, offeredOn, sayings } from '../../../src/doors/web/say.ts';
import { builtInRows } from '../../../src/rows/index.ts';

const form = (fields: Readonly<Record<string, string>>) => new Map(Object.entries(fields));

it.each([
  ['', ['objection', 'question', 'source', 'audit', 'review', 'attest', 'vote']],
  ['d3', ['challenge', 'support', 'upgrade', 'objection', 'vote']],
  ['c2', ['objection', 'repair', 'question', 'source', 'contradiction', 'compression', 'audit', 'vote']],
])('offers on “%s” what its rows take', (target, kinds) => {
  expect(offeredOn(target)).toEqual(kinds);
});

it('leaves out empty fields and fields of other kinds', () => {
  const sent = form({ on: 'c2', text: ' It is wrong. ', actor: '', verdict: 'sound', url: 'x', surface: '' });
  expect(callOfForm('bees', 'objection', sent)).toEqual({
    key: 'OBJECTION_LOG',
    args: { slug: 'bees/c2', objection: 'It is wrong.', actor: 'anonymous' },
  });
});

it.each([
  [{ proposal: 'should_split', at: 'There', into: 'd4', vote_tier: 'human' }, { at: 'There' }],
  [{ proposal: 'should_merge', at: 'There', into: 'd4', vote_tier: 'human' }, { into: 'd4' }],
  [{ proposal: 'should_retier', at: 'There', into: 'd4', vote_tier: 'human' }, { tier: 'human' }],
  [{ proposal: 'should_burn', at: 'There', into: 'd4', vote_tier: 'human' }, {}],
])('lets a vote carry only what its proposal takes: %o', (fields, carried) => {
  expect(callOfForm('bees', 'vote', form({ on: 'd3', text: 'So.', ...fields })).args).toEqual({
    slug: 'bees',
    target: 'd3',
    proposal: fields.proposal,
    rationale: 'So.',
    actor: 'anonymous',
    ...carried,
  });
});

it('sends a source as JSON where its fields are filled, and as text where they are not', () => {
  const body = (fields: Readonly<Record<string, string>>) =>
    callOfForm('bees', 'source', form({ on: '', ...fields })).args['body'];
  expect(body({ url: 'https://example.org/', quote: 'Bees dance.' })).toBe(
    '{"url":"https://example.org/","quote":"Bees dance."}',
  );
  expect(body({ text: 'https://example.org/ says “Bees dance.”' })).toBe(
    'https://example.org/ says “Bees dance.”',
  );
});

it.each([
  ['objection', '/objection#0-5', 'text'],
  ['vote', '/rationale', 'text'],
  ['vote', '/tier', 'vote_tier'],
  ['repair', '/body', 'text'],
  ['repair', '/rationale', 'rationale'],
  ['repair', '/tier', 'tier'],
  ['source', '/body/url', 'url'],
  ['source', '/body/summary', 'text'],
  ['review', '/verdict', 'verdict'],
  ['challenge', '/actor', 'actor'],
  ['challenge', '/expected_hash', undefined],
] as const)('puts a violation of a %s at %s beside the field %s', (kind, at, field) => {
  expect(fieldOf(kind, at)).toBe(field);
});

it('names rows that exist and that anybody may call', () => {
  for (const { row } of Object.values(sayings))
    expect([row, builtInRows.find(({ key }) => key === row)?.auth]).toEqual([row, 'none']);
});
