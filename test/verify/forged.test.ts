/**
 * Articles that somebody rewrote with care: body, hashes, places, counts and totals fit each other again, and only the
 * chains tell (contract §6). Each is refused for the reason that the chains give.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';
import { verifyBundle, type Json } from '../../verify/index.ts';
import { failuresOf } from './support.ts';

interface Block {
  div_id: string;
  text: string;
  sep: string;
  item: Record<string, unknown>;
}

interface Served {
  body: string;
  lead?: string;
  content_hash: string;
  sources: unknown[];
  claims: Record<string, unknown>[];
  contributions: unknown[];
  divs: Record<string, unknown>[];
  voxels: Record<string, unknown>[];
  counts: Record<string, number>;
  verification: Record<string, number>;
  machine: { ledger: Record<string, { count: number }> };
}

let deployment: TestDeployment;
const documents = new Map<string, string>();

beforeAll(async () => {
  deployment = await openDeployment();
  const { did } = deployment;
  const markdown = '# Tides\n\nThe moon pulls.\n\nThe sun too.\n\nA third é.\n';
  await did('VOXEL_BATCH', { document: { slug: 'tides', title: 'Tides', markdown } });
  const source = {
    type: 'review',
    url: 'https://example.com/x',
    title: 't',
    quote: 'The moon pulls the sea.',
  };
  const other = { ...source, url: 'https://example.com/y', quote: 'The sun pulls the sea.' };
  await did('SOURCE_POST', { slug: 'tides', sources: [source, other] });
  await did('CLAIM_POST', {
    slug: 'tides',
    text: 'The moon raises two tides a day.',
    tier: 'mechanistic',
    who_claims: 'Newton',
    source_ids: ['s1'],
  });
  await did('MIRROR_APPEND', 'tides|c1|question|ada|Which coasts have one?');
  const app = deployment.http();
  for (const part of ['', '/bundle'])
    documents.set(part, (await app.inject({ url: `/api/articles/tides${part}` })).body);
});

afterAll(() => deployment.end());

/** The document after a change of its blocks, with everything else made to fit. */
function forged(part: string, change: (blocks: Block[]) => void, more?: (served: Served) => void): Json {
  const served = JSON.parse(documents.get(part) as string) as Served;
  const bytes = Buffer.from(served.body);
  const list = part === '' ? served.divs : served.voxels;
  const blocks = list.map((item, i): Block => {
    const next = list[i + 1]?.['start'] as number | undefined;
    return part === ''
      ? {
          div_id: String(item['div_id']),
          text: bytes.subarray(item['start'] as number, item['end'] as number).toString(),
          sep: bytes.subarray(item['end'] as number, next ?? bytes.length).toString(),
          item,
        }
      : { div_id: String(item['div_id']), text: String(item['text']), sep: String(item['sep']), item };
  });
  change(blocks);
  let at = 0;
  const items = blocks.map(({ div_id, text, sep, item }, i) => {
    const start = at;
    const end = start + Buffer.byteLength(text);
    at = end + Buffer.byteLength(sep);
    return part === ''
      ? { ...item, div_id, start, end }
      : { ...item, div_id, text, sep, vx_hash: sha(text), order: i + 1 };
  });
  served.body = blocks.map(({ text, sep }) => text + sep).join('');
  served.content_hash = sha(served.body);
  if (part === '') {
    served.divs = items;
    (served.machine.ledger['voxels'] as { count: number }).count = items.length;
  } else {
    served.voxels = items;
    served.counts['divs'] = items.length;
  }
  more?.(served);
  if (part === '') {
    const chains = served.divs.map(({ chain }) => (chain as unknown[]).length);
    const others = 3 + served.sources.length + served.contributions.length;
    served.verification['entries'] = chains.reduce((sum, n) => sum + n, others);
    served.verification['chains'] = chains.length + 3;
    (served.machine.ledger['sources'] as { count: number }).count = served.sources.length;
  } else served.counts['sources'] = served.sources.length;
  return served as unknown as Json;
}

function sha(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const parts = ['', '/bundle'] as const;

describe.each(parts)('a rewritten document of /api/articles/tides%s', (part) => {
  const none = (): void => undefined;

  test('is accepted as long as nothing is changed in it', async () => {
    expect(failuresOf(await verifyBundle(forged(part, none)))).toEqual([]);
  });

  test.each<[string, (blocks: Block[]) => void, ((served: Served) => void) | undefined, RegExp]>([
    [
      'a paragraph is removed',
      (blocks) => void blocks.splice(2, 1),
      undefined,
      /^membership: d3 is left out$/,
    ],
    [
      'two paragraphs are swapped',
      (blocks) => blocks.splice(1, 2, blocks[2] as Block, blocks[1] as Block),
      undefined,
      /^order: the DIVs do not stand in the order that the provenance gives them$/,
    ],
    [
      'a separator is another',
      (blocks) => ((blocks[1] as Block).sep = '\n\n\n'),
      undefined,
      /^sep(?:arator)?: (?:what stands behind d2 is not what the provenance has there|sep of d2 is not what the)/,
    ],
    [
      'two DIVs have exchanged their ids',
      (blocks) => {
        (blocks[1] as Block).div_id = 'd3';
        (blocks[2] as Block).div_id = 'd2';
      },
      undefined,
      /^div: the entries listed with d3 are not those of its chain$/,
    ],
    [
      'a text is another, under its own hash',
      (blocks) => ((blocks[1] as Block).text = 'The moon falls.'),
      undefined,
      /^div: the DIV's chain ends at text [0-9a-f]{64}, not at [0-9a-f]{64}$/,
    ],
    [
      'a text is called a replacement',
      (blocks) => {
        (blocks[1] as Block).text = 'The moon falls.';
        (blocks[1] as Block).item['scrubbed_by'] = 'scrub_aaaaaaaaaaaaaaaa';
      },
      undefined,
      /^div: the text of d2 is shown as scrubbed, and no scrub entry here commits to what replaces it$/,
    ],
    [
      'a DIV is added with the chain of another',
      (blocks) => void blocks.push({ ...(blocks[1] as Block), div_id: 'd9' }),
      undefined,
      /^membership: nothing tells of a DIV d9$/,
    ],
    [
      'a source is dropped',
      none,
      ({ sources }) => void sources.pop(),
      /^source: 1 sources are listed, the provenance tells of 2$/,
    ],
    [
      'a claim cites another source',
      none,
      ({ claims }) => ((claims[0] as Record<string, unknown>)['source_ids'] = ['s2']),
      /^claim: source_ids of claim c1 is shown otherwise than the provenance has it$/,
    ],
  ])('is refused where %s', async (_what, change, more, why) => {
    const found = failuresOf(await verifyBundle(forged(part, change, more)));
    expect(found.filter((failure) => why.test(failure))).toHaveLength(1);
  });

  test('is refused with any other body and its hash', async () => {
    const served = JSON.parse(documents.get(part) as string) as Served;
    served.body = 'Anything at all.\n';
    served.content_hash = sha(served.body);
    const { ok } = await verifyBundle(served as unknown as Json);
    expect(ok).toBe(false);
  });

  test('is refused without its DIVs', async () => {
    const served = JSON.parse(documents.get(part) as string) as unknown as Record<string, unknown>;
    served['body'] = 'Anything at all.\n';
    served['content_hash'] = sha('Anything at all.\n');
    Reflect.deleteProperty(served, part === '' ? 'divs' : 'voxels');
    expect((await verifyBundle(served as Json)).ok).toBe(false);
  });
});
