/**
 * What the random callers do: calls of the application's rows under credentials of their own, bursts of them,
 * waiting, and restarts. A command names things by small numbers, so that the same list of commands means the
 * same on every store, whatever random ids they give.
 */
import fc from 'fast-check';

/** Somebody without a share, or the holder of one: numbers go round those that were minted so far. */
export type Who = 'owner' | 'anonymous' | number;

/** Where a number lands among `count` things; one place further where `beyond` may be named too. */
export function choose(n: number, count: number, beyond = 0): number {
  return count + beyond === 0 ? 0 : n % (count + beyond);
}

export const slugs = ['alpha', 'beta', 'gamma'] as const;
export const shareKeys = [
  'MIRROR_APPEND',
  'MIRROR_FEED',
  'VOXEL_BATCH',
  'VOXEL_EDIT',
  'VOXEL_MOVE',
  'CLAIM_POST',
  'SOURCE_POST',
] as const;
export type ShareKey = (typeof shareKeys)[number];

/** Nothing but words: what they do to neighbouring blocks is tested elsewhere. */
export const paragraphs = [
  'Rivers carry silt',
  'Copper turns green',
  'Owls hunt at night',
  'Glass flows nowhere',
  'Ünïcode travels 🜚 well',
  'Salt lowers the freezing point',
];
export const claims = [
  'Sample A7 holds twelve grains of quartz.',
  'The lighthouse at Kvitsøy was lit in 1700.',
  'Aspen leaves turn yellow in autumn.',
  'The bridge at Remagen spanned 325 metres.',
  'Lead melts at 327 degrees Celsius.',
];
export const quotes = ['lit since 1700', 'a span of 325 metres', 'it melts at 327', 'twelve grains'];
export const bodies = [
  'Who measured it?',
  'The unit is missing.',
  'See the survey of 1998.',
  'Résumé | with pipes',
  '{"no":"json"',
];

export type Command =
  | {
      readonly do: 'mint';
      readonly who: Who;
      readonly keys: readonly ShareKey[];
      readonly maxUses: number;
      readonly ttl: number | undefined;
    }
  | { readonly do: 'revoke'; readonly who: Who; readonly share: number }
  | {
      readonly do: 'document';
      readonly who: Who;
      readonly slug: number;
      readonly paragraphs: readonly number[];
    }
  | {
      readonly do: 'edit';
      readonly who: Who;
      readonly slug: number;
      readonly div: number;
      readonly paragraph: number;
      readonly stale: boolean;
    }
  | {
      readonly do: 'move';
      readonly who: Who;
      readonly slug: number;
      readonly div: number;
      readonly direction: 'up' | 'down';
      readonly off: boolean;
    }
  | {
      readonly do: 'claim';
      readonly who: Who;
      readonly slug: number;
      readonly claim: number;
      readonly source: number | undefined;
    }
  | { readonly do: 'source'; readonly who: Who; readonly slug: number; readonly quotes: readonly number[] }
  | {
      readonly do: 'append';
      readonly who: Who;
      readonly slug: number;
      readonly claim: number;
      readonly body: number;
      readonly idem: number | undefined;
    }
  | { readonly do: 'feed'; readonly who: Who; readonly slug: number; readonly limit: number }
  | { readonly do: 'burst'; readonly who: Who; readonly slug: number; readonly calls: number }
  | { readonly do: 'wait'; readonly seconds: number }
  | { readonly do: 'restart' };

const who = fc.oneof(
  { weight: 4, arbitrary: fc.constant('owner' as const) },
  { weight: 1, arbitrary: fc.constant('anonymous' as const) },
  { weight: 5, arbitrary: fc.nat(99) },
);
const slug = fc.nat(slugs.length - 1);
const of = (list: readonly unknown[]) => fc.nat(list.length - 1);
const keys = fc.oneof(fc.constant([...shareKeys]), fc.subarray([...shareKeys], { minLength: 1 }));

export const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('mint' as const),
      who,
      keys,
      maxUses: fc.nat(3),
      ttl: fc.option(fc.integer({ min: 1, max: 400 }), { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('revoke' as const), who, share: fc.nat(99) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('document' as const),
      who,
      slug,
      paragraphs: fc.array(of(paragraphs), { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('edit' as const),
      who,
      slug,
      div: fc.nat(99),
      paragraph: of(paragraphs),
      stale: fc.nat(4).map((n) => n === 0),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('move' as const),
      who,
      slug,
      div: fc.nat(99),
      direction: fc.constantFrom('up' as const, 'down' as const),
      off: fc.nat(4).map((n) => n === 0),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('claim' as const),
      who,
      slug,
      claim: of(claims),
      source: fc.option(fc.nat(2), { nil: undefined, freq: 1 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('source' as const),
      who,
      slug,
      quotes: fc.array(of(quotes), { minLength: 1, maxLength: 2 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      who,
      slug,
      claim: fc.nat(3),
      body: of(bodies),
      idem: fc.option(fc.nat(2), { nil: undefined }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('feed' as const),
      who,
      slug,
      limit: fc.integer({ min: 1, max: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('burst' as const),
      who,
      slug,
      calls: fc.integer({ min: 2, max: 8 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(1, 30, 200) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);
