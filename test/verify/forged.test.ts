/**
 * Articles that somebody rewrote with care: body, hashes, places, counts and totals fit each other again, and only the
 * chains tell (contract §6). Each is refused for the reason that the chains give.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';
import { verifyBundle, type Json } from '../../verify/index.ts';
import { canonical } from '../../verify/json.ts';
import { failuresOf } from '../unit/verify/support.ts';

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
  provenance: unknown[];
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
  const said = await did('MIRROR_APPEND', 'tides|c1|objection|ada|Some coasts have one.');
  await did('MIRROR_RESOLVE', `tides|${(said['contribution'] as { id: string }).id}|rejected|They are few.`);
  const old = createHash('sha256').update('The moon pulls.').digest('hex');
  const edit = { slug: 'tides', div_id: 'd2', expected_hash: old, text: 'The moon pulls it.' };
  await did('VOXEL_EDIT', edit);
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
    const others = served.provenance.length + served.sources.length + served.contributions.length;
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

  test('is accepted when nothing in it is changed', async () => {
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
      /^membership: no entry makes a DIV d9$/,
    ],
    [
      'a source is dropped',
      none,
      ({ sources }) => void sources.pop(),
      /^source: 1 sources are listed, the provenance names 2$/,
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

  test('is refused with any other body and a matching hash', async () => {
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

type Entry = Record<string, unknown>;

function hashed(entry: Entry): Entry {
  return { ...entry, hash: sha(`\0${canonical(entry as Json)}`) };
}

/** The chain of a DIV under the name of another, its newest entry committing to another text. */
function rewritten(chain: readonly Entry[], name: string, text: string): Entry[] {
  let prev: unknown = 'genesis';
  return chain.map(({ hash: _hash, ...entry }, i) => {
    const isNewest = i === chain.length - 1;
    const own = hashed({ ...entry, chain: name, prev, ...(isNewest ? { text_sha: sha(text) } : {}) });
    prev = own['hash'];
    return own;
  });
}

describe.each(parts)('entries of other articles in /api/articles/tides%s', (part) => {
  test('are refused when a DIV shows a chain of another article', async () => {
    const document = forged(part, (blocks) => {
      const block = blocks[1] as Block;
      block.text = 'The moon falls.';
      block.item['chain'] = rewritten(block.item['chain'] as Entry[], 'art_aaaaaaaaaaaaaaaa.d2', block.text);
    });
    expect(failuresOf(await verifyBundle(document))).toContainEqual(
      expect.stringMatching(/^chain: the entries are of 2 articles, not of one: /),
    );
  });

  test.each([
    ['scrubs', 'scrub_aaaaaaaaaaaaaaaa', 'art_aaaaaaaaaaaaaaaa.d2'],
    ['scrubs', 'tides', ''],
    ['more', 'scrub_aaaaaaaaaaaaaaaa', ''],
  ])('are not accepted as replacement: %s of chain %s about "%s"', async (member, chain, about) => {
    const text = 'The moon falls.';
    const salt = '11'.repeat(32);
    const value = { found: [], replacement: text };
    const document = forged(part, (blocks) => {
      const block = blocks[1] as Block;
      block.text = text;
      block.item['scrubbed_by'] = chain;
    });
    const [{ chain: entries }] = (document as never as Served)[part === '' ? 'divs' : 'voxels'].slice(1) as [
      { chain: [Entry, ...Entry[]] },
    ];
    const { hash, ...entry } = hashed({
      action: 'scrub',
      actor: 'owner',
      chain,
      content_sha: createHash('sha256')
        .update(Buffer.from(salt, 'hex'))
        .update(canonical(value))
        .digest('hex'),
      field: 'text_sha',
      n: 0,
      of: about === '' ? entries[0]['chain'] : about,
      of_n: entries.length - 1,
      prev: 'genesis',
      ts: entries[0]['ts'],
    });
    const item = { entry, hash, contents: { content_sha: { salt, value } } };
    const report = await verifyBundle({ ...(document as object), [member]: [item] } as Json);
    expect(failuresOf(report)).toContain(
      'div: the text of d2 is shown as scrubbed, and no scrub entry here commits to what replaces it',
    );
  });
});

describe.each(parts)('an unrelated entry beside an entry of /api/articles/tides%s', (part) => {
  const served = () => JSON.parse(documents.get(part) as string) as Bundle & Record<string, unknown>;

  test.each<[string, Record<string, unknown>]>([
    ['no more than contents', { contents: {} }],
    ['what was said elsewhere', { said: 'x', salt: null }],
  ])('does not prove a change of the provenance %s', async (_what, more) => {
    const document = served();
    const [item] = document.provenance.slice(2) as [{ change: { claims: [{ claim: Entry }] } } & Entry];
    item.change.claims[0].claim['text'] = 'The sun raises two tides a day.';
    item.change.claims[0].claim['hash'] = sha('The sun raises two tides a day.');
    Object.assign(document.claims[0] as Entry, item.change.claims[0].claim);
    Object.assign(item, more);
    expect((await verifyBundle(document as never as Json)).ok).toBe(false);
  });

  test('is refused in its place', async () => {
    const document = forged(part, (blocks) => {
      const block = blocks[2] as Block;
      block.text = 'The sun does not.';
      const [{ hash, ...entry }] = block.item['chain'] as [Entry];
      block.item['chain'] = [{ ...entry, hash, entry, text_sha: sha(block.text) }];
    });
    expect(failuresOf(await verifyBundle(document))).toContain(
      'div: the entries listed with d3 are not those of its chain',
    );
  });

  test('is reported as missing from its chain when it stands beside it', async () => {
    const moved: unknown[] = [];
    const document = forged(part, (blocks) => {
      const block = blocks[1] as Block;
      block.text = 'The moon pulls.';
      moved.push((block.item['chain'] as unknown[]).pop());
    });
    expect(failuresOf(await verifyBundle({ ...(document as object), more: moved } as never))).toContain(
      'div: the chain of d2 has 2 entries, not those that are listed',
    );
  });

  test('does not hide what is below it', async () => {
    const document = served();
    const [source] = document.sources as [Entry];
    source['quote'] = 'The sun pulls.';
    const as = { chain: 'inv_a', n: 0, prev: 'genesis', actor: 'a', ts: '' };
    const { hash } = hashed({ ...document, ...as });
    const { checks } = await verifyBundle({ ...document, ...as, hash } as never);
    expect(checks.filter(({ id, ok }) => id === 'source' && !ok)).toHaveLength(1);
  });

  test('is refused when it has the members of a listed entry', async () => {
    const entry = { chain: 'art_a.constructor', n: 0, prev: 'genesis', actor: 'a', ts: '' };
    const more = [{ entry, ...hashed(entry), prev: 'genesis', salt: null, content: 'present' }];
    expect((await verifyBundle({ ...served(), more } as never)).ok).toBe(false);
  });
});

test('refuses a bundle that lists entries outside chains', async () => {
  const { chains: _chains, voxels, ...rest } = JSON.parse(documents.get('/bundle') as string) as Bundle;
  const report = await verifyBundle({ ...rest, voxels: { lead: '', divs: voxels } } as never);
  expect(failuresOf(report)).toContain('document: chains is left out');
});

interface OpenEntry {
  readonly entry: Entry;
  readonly hash: string;
  readonly contents: Record<string, unknown>;
}

type Bundle = Served & { chains: Record<string, OpenEntry[]>; discourse: unknown[] };

/** The bundle with its chains changed, and the name of the chain that holds something of the article. */
function withChains(
  change: (chains: Bundle['chains'], named: (of: string) => string, served: Bundle) => void,
) {
  const served = JSON.parse(documents.get('/bundle') as string) as Bundle;
  const name = Object.keys(served.chains).find((chain) => chain.endsWith('.provenance')) as string;
  change(served.chains, (of) => name.replace(/provenance$/, of), served);
  return served as never as Json;
}

describe('the chains of a bundle', () => {
  test('contain every entry that the bundle lists elsewhere', async () => {
    let name = '';
    const document = withChains((chains, named) => Reflect.deleteProperty(chains, (name = named('mirror'))));
    expect(failuresOf(await verifyBundle(document))).toContain(
      `chain: entry 0 of chain ${name} is not among the chains`,
    );
  });

  test('include one provenance, from which the history is read', async () => {
    const document = withChains((chains, named, { claims }) => {
      const own = chains[named('provenance')] as OpenEntry[];
      Reflect.deleteProperty(chains, named('provenance'));
      chains['art_aaaaaaaaaaaaaaaa.provenance'] = own;
      (claims[0] as Entry)['text'] = 'The sun raises two tides a day.';
    });
    const failures = failuresOf(await verifyBundle(document));
    expect(failures).toContainEqual(
      expect.stringMatching(/^chain: the entries are of 2 articles, not of one: /),
    );
    expect(failures).toContain('claim: text of claim c1 is shown otherwise than the provenance has it');
  });

  test('are not truncated before the entries that the provenance names', async () => {
    const failures = failuresOf(
      await verifyBundle(
        withChains((chains, named, { voxels }) => {
          (chains[named('d2')] as OpenEntry[]).pop();
          ((voxels[1] as Entry)['chain'] as Entry[]).pop();
        }),
      ),
    );
    expect(failures).toContainEqual(
      expect.stringMatching(/^chain: the provenance names an entry of d2 that is missing, by inv_/),
    );
  });

  test('include a provenance that is not truncated before the entries of the others', async () => {
    const failures = failuresOf(
      await verifyBundle(
        withChains((chains, named, served) => {
          chains[named('provenance')]?.splice(1);
          served.provenance.splice(1);
        }),
      ),
    );
    expect(failures).toContain('chain: the provenance does not tell of entry 1 of d2');
  });

  test('name decided contributions, which are all listed', async () => {
    const failures = failuresOf(
      await verifyBundle(
        withChains((chains, named, served) => {
          Reflect.deleteProperty(chains, named('mirror'));
          served.contributions = [];
          served.counts['contributions'] = 0;
        }),
      ),
    );
    expect(failures).toContainEqual(
      expect.stringMatching(/^contribution: contribution mc_\w+ was decided, and is left out$/),
    );
  });
});

test('refuses entries that an imported article left behind', async () => {
  const { did } = deployment;
  const { divs } = JSON.parse(
    (await deployment.http().inject({ url: '/api/articles/tides/voxels' })).body,
  ) as { divs: { div_id: string; vx_hash: string }[] };
  const { div_id: id, vx_hash: hash } = divs[2] as { div_id: string; vx_hash: string };
  await did('VOXEL_BURN', { slug: 'tides', ids: [id], expected_hashes: [hash], reason: 'It is empty.' });
  const app = deployment.http();
  const bundle = JSON.parse((await app.inject({ url: '/api/articles/tides/bundle' })).body) as object;
  await did('ARTICLE_IMPORT', { slug: 'taken', bundle });
  for (const part of ['', '/bundle']) {
    const served = JSON.parse((await app.inject({ url: `/api/articles/taken${part}` })).body) as Bundle;
    expect(failuresOf(await verifyBundle(served as never as Json))).toEqual([]);
    const list = part === '' ? served.divs : served.voxels;
    const cut = [
      list.find(({ div_id: each }) => each === id)?.['chain'],
      ...Object.entries(served.chains ?? {})
        .filter(([name]) => name.endsWith(`.${id}`))
        .map(([, entries]) => entries),
    ];
    for (const chain of cut) (chain as unknown[]).pop();
    expect(failuresOf(await verifyBundle(served as never as Json))).toContainEqual(
      expect.stringMatching(/^chain: the provenance names an entry of d3 that is missing, by inv_/),
    );
  }
});
