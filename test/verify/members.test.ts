/**
 * Members that an attacker adds to a document or removes from it to mislead or skip checks (contract §6). No such
 * change makes a forged document valid or extends the signature of another document to it.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { main } from '../../verify/cli.ts';
import { verifyBundle, verifyReceipt, type Json } from '../../verify/index.ts';
import { canonical } from '../../verify/json.ts';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';
import { failuresOf } from '../unit/verify/support.ts';

type Members = Record<string, unknown>;

interface Entry {
  readonly chain: string;
  readonly n: number;
  readonly ts: string;
}

interface Div extends Members {
  start: number;
  end: number;
  chain: Entry[];
}

interface Listed extends Members {
  entry: Entry;
  change: { claims?: { claim: Members }[] };
}

/** An article, a bundle, a list of DIVs or a receipt. */
interface Served extends Members {
  id: string;
  body: string;
  divs: [Div, Div, Div];
  claims: [Members];
  sources: [Listed];
  provenance: Listed[];
  chains: Record<string, Members[]>;
  proof: { readonly entry: Entry; readonly tlog_proof: string };
}

let deployment: TestDeployment;
let folder: string;
let key: string;
const kept = new Map<string, string>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-members-'));
  deployment = await openDeployment();
  const { did } = deployment;
  const markdown = '# Tides\n\nThe moon pulls.\n\nThe sun too.\n';
  const { inv } = await did('VOXEL_BATCH', { document: { slug: 'tides', title: 'Tides', markdown } });
  const quote = 'The moon pulls the sea.';
  const source = { type: 'review', url: 'https://example.com/x', title: 't', quote };
  await did('SOURCE_POST', { slug: 'tides', sources: [source] });
  await did('CLAIM_POST', {
    slug: 'tides',
    text: 'The moon raises two tides a day.',
    tier: 'mechanistic',
    who_claims: 'Newton',
    source_ids: ['s1'],
  });
  key = (await text('/.well-known/colophon-key')).trim();
  for (const part of ['', '/bundle', '/voxels']) kept.set(part, await text(`/api/articles/tides${part}`));
  kept.set('receipt', await text(`/api/dispatch?receipt=${String(inv)}`));
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await deployment.end();
});

async function text(url: string): Promise<string> {
  const headers = { 'x-terminal-key': 'tk_only-for-tests-0123456789' };
  const response = await deployment.http().inject({ url, headers });
  expect([url, response.statusCode]).toEqual([url, 200]);
  return response.body;
}

function served(part: string): Served {
  return JSON.parse(kept.get(part) as string) as Served;
}

function sha(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}

/** Another text, under a hash that fits it. */
function forged(part: string): Served {
  const document = served(part);
  if (part === '/voxels') Object.assign(document.divs[1], { text: 'FORGED', vx_hash: sha('FORGED') });
  else Object.assign(document, { body: 'FORGED', content_hash: sha('FORGED') });
  return document;
}

async function judged(document: unknown): Promise<Awaited<ReturnType<typeof verifyBundle>>> {
  return verifyBundle(document as Json, key);
}

const parts = ['', '/bundle', '/voxels'] as const;

const additions: readonly [string, (document: Served) => unknown][] = [
  ['a receipt as a member', (document) => ({ ...document, receipt: served('receipt') })],
  ['all members of a receipt', (document) => ({ ...served('receipt'), ...document })],
  ['a list of receipts', (document) => ({ ...document, receipts: [served('receipt')] })],
  ['the proof of a call', (document) => ({ ...document, proof: served('receipt').proof })],
  [
    'the call and its proof',
    (document) => {
      const { id, proof } = served('receipt');
      return { ...document, id, invocation: { id }, proof };
    },
  ],
  ['a bundle as a member', (document) => ({ ...document, bundle: served('/bundle') })],
  ['an article as a member', (document) => ({ ...document, article: served('') })],
  ['an imported bundle', (document) => ({ ...document, imported: served('/bundle') })],
  ['an enclosing list', (document) => [document]],
  ['a receipt in the same list', (document) => [served('receipt'), document]],
  ['an enclosing answer', (document) => ({ ok: true, result: document, receipt: served('receipt') })],
];

describe.each(parts)('a document of /api/articles/tides%s', (part) => {
  test.each(additions)('is rejected if its text is forged and it is combined with %s', async (_what, add) => {
    expect((await judged(served(part))).ok).toBe(true);
    const path = join(folder, 'forged.json');
    writeFileSync(path, JSON.stringify(add(forged(part))));
    expect(await main([path, '--key', key], () => undefined)).toBe(1);
  });

  test.each(additions)(
    'is covered only by its own signature if genuine and combined with %s',
    async (_what, add) => {
      const { checks } = await judged(add(served(part)));
      const own = /^(?:origin\.|receipt$|receipts\[0\]$|bundle\.origin\.|\[\d\]|result\.origin\.)/;
      const signed = checks.filter(({ id }) => id === 'signature' || id === 'inclusion');
      expect(signed.filter(({ at = '' }) => !own.test(at))).toEqual([]);
    },
  );
});

test.each(['', '/bundle'])(
  'rejects another document inside the document of /api/articles/tides%s',
  async (part) => {
    const others = { receipt: served('receipt'), lists: [served('')], bundle: { bundle: served('/bundle') } };
    const failures = (await judged({ ...served(part), ...others })).checks.filter(({ ok }) => !ok);
    const detail = `another document stands in this ${part === '' ? 'article' : 'bundle'}`;
    expect(failures).toEqual(
      ['receipt', 'lists[0]', 'bundle.bundle'].map((at) => ({ id: 'document', ok: false, detail, at })),
    );
  },
);

test.each(parts)(
  'reports the proof of a call in the document of /api/articles/tides%s as uncovered',
  async (part) => {
    const { proof } = served('receipt');
    const { ok, checks, uncovered } = await judged({ ...served(part), proof });
    const { n, chain } = proof.entry;
    expect(ok).toBe(true);
    expect(checks.filter(({ at }) => at === 'proof')).toEqual([
      {
        id: 'proof',
        ok: true,
        detail: `the log has entry ${n} of chain ${chain}, which proves nothing here`,
        at: 'proof',
      },
    ]);
    expect(uncovered).toContain('proof');
    const other = { ...proof, tlog_proof: proof.tlog_proof.replace('\nindex ', '\nindex 1') };
    expect((await judged({ ...served(part), proof: other })).ok).toBe(false);
  },
);

test('accepts the proof of a call only for that call, in its answer and its receipt', async () => {
  const receipt = served('receipt');
  const { id, proof } = receipt;
  const signed = async (document: unknown) =>
    (await judged(document)).checks.filter(({ id: check }) => check === 'inclusion').map(({ at }) => at);
  expect(await signed({ invocation: { id }, proof, result: {} })).toEqual(['proof']);
  expect(await signed({ invocation: { id: 'inv_a' }, proof, body: 'x' })).toEqual([]);
  expect(await signed({ slug: 'tides', invocation: { id }, proof })).toEqual([]);
  expect(await signed({ receipt })).toEqual(['receipt']);
  const none = await verifyReceipt({ ...receipt, entries: [] } as never, key);
  expect(none.checks.filter(({ id: check, ok }) => check === 'inclusion' && ok)).toEqual([]);
});

test('lists every member that no check covers, with its path', async () => {
  const { ok, uncovered } = await judged({ receipt: served('receipt'), said: 'x', result: [served('')] });
  expect(ok).toBe(true);
  expect(uncovered).toEqual(expect.arrayContaining(['said', 'receipt.verbs', 'result[].machine.kind']));
  expect((await judged([{ said: 'x' }, served('')])).uncovered).toContain('[].*');
  const entry = { chain: 'art_a.d1', n: 0, prev: 'genesis', hash: 'x' };
  const nothing = await judged({ bundle: { chains: { 'art_a.d1': [entry] } } });
  expect(nothing.uncovered).toEqual(['the whole document']);
});

test('recomputes the chains of an imported bundle', async () => {
  const imported = served('/bundle');
  const [[item]] = Object.values(imported.chains) as [[Listed]];
  Object.assign(item.entry, { actor: 'ada' });
  expect(failuresOf(await judged({ ...served(''), imported }))).toContainEqual(
    expect.stringMatching(/^chain: entry \d of chain .*: there are two different ones$/),
  );
});

describe('a bundle', () => {
  test('is rejected without its log origin and bundle version', async () => {
    const { bundle_version: _version, origin: _origin, ...rest } = served('/bundle');
    for (const name of ['meta', 'counts', 'constitution', 'llm_manifest']) Reflect.deleteProperty(rest, name);
    for (const list of Object.values(rest.chains))
      for (const item of list) Reflect.deleteProperty(item, 'at');
    const failures = failuresOf(await judged(rest));
    expect(failures).toContain('document: the bundle is not of version 1');
    expect(failures).toContain('inclusion: the bundle does not say of which log it is');
    expect(failuresOf(await judged({ x: rest }))).toEqual(failures);
  });

  test.each(['counts', 'voxels', 'body', 'question_graph', 'verification', 'claims'])(
    'is rejected without its %s, even if other members are missing too',
    async (name) => {
      const document = served('/bundle');
      for (const other of ['meta', 'counts', 'constitution', 'llm_manifest', name])
        Reflect.deleteProperty(document, other);
      expect(failuresOf(await judged(document))).toContainEqual(
        expect.stringMatching(`^document: ${name} is (?:left out|no list)$`),
      );
    },
  );
});

describe('the lead', () => {
  test.each<[string, () => unknown, string]>([
    [
      'of the document',
      () => ({ ...served(''), voxels: served('/voxels'), lead: 'FORGED' }),
      'article: lead is shown otherwise than the provenance has it',
    ],
    [
      'of its DIVs',
      () => ({ ...served(''), voxels: { ...served('/voxels'), lead: 'FORGED' } }),
      'article: lead is shown otherwise than the provenance has it',
    ],
    [
      'of a part',
      () => ({ lead: 'FORGED', voxels: served('/voxels') }),
      'article: lead is shown otherwise in one place than in the other',
    ],
  ])(
    '%s is rejected when it differs from the provenance or another occurrence',
    async (_where, document, why) => {
      expect(failuresOf(await judged({ ...served(''), voxels: served('/voxels') }))).toEqual([]);
      expect(failuresOf(await judged(document()))).toContain(why);
    },
  );
});

describe('a scrub that is missing from the log', () => {
  /** An article whose `scrubs` hold an entry that somebody wrote, about one content. */
  function scrubbed(document: Served, about: Entry, field: string, replacement: unknown): Members {
    const salt = 'ab'.repeat(32);
    const value = { replacement };
    const bytes = Buffer.concat([Buffer.from(salt, 'hex'), Buffer.from(canonical(value as Json))]);
    const entry = {
      action: 'scrub',
      actor: 'owner',
      chain: 'scrub_abcd',
      content_sha: createHash('sha256').update(bytes).digest('hex'),
      field,
      n: 0,
      of: about.chain,
      of_n: about.n,
      prev: 'genesis',
      ts: about.ts,
    };
    const hash = sha(`\0${canonical(entry)}`);
    return {
      ...document,
      scrubs: [{ entry, hash, prev: 'genesis', contents: { content_sha: { salt, value } } }],
    };
  }

  test('excuses neither the replaced text nor the body', async () => {
    const document = served('');
    const [, div, next] = document.divs;
    const body = Buffer.from(document.body);
    const more = Buffer.byteLength('FORGED') - (div.end - div.start);
    document.body = [body.subarray(0, div.start), 'FORGED', body.subarray(div.end)].join('');
    document['content_hash'] = sha(document.body);
    Object.assign(div, { end: div.end + more, scrubbed_by: 'scrub_abcd' });
    Object.assign(next, { start: next.start + more, end: next.end + more });
    const report = await judged(scrubbed(document, div.chain.at(-1) as Entry, 'text_sha', 'FORGED'));
    expect(failuresOf(report)).toEqual([]);
    expect(report.uncovered).toEqual(
      expect.arrayContaining(['body', 'content_hash', 'divs[].start', 'divs[].end', 'divs[].scrubbed_by']),
    );
  });

  test('excuses no text in a list of DIVs', async () => {
    const document = served('/voxels');
    const [, div] = document.divs;
    Object.assign(div, { text: 'FORGED', vx_hash: sha('FORGED'), scrubbed_by: 'scrub_abcd' });
    const report = await judged(scrubbed(document, div.chain.at(-1) as Entry, 'text_sha', 'FORGED'));
    expect(failuresOf(report)).toEqual([]);
    expect(report.uncovered).toEqual(expect.arrayContaining(['divs[].text', 'divs[].vx_hash']));
  });

  test('excuses no source', async () => {
    const document = served('');
    const [source] = document.sources;
    const { claim_ids: _ids, entry, hash: _hash, link: _link, prev: _prev, ...rest } = source;
    const { salt: _salt, content: _content, ...content }: Members = { ...rest, quote: 'FORGED' };
    Object.assign(source, { quote: 'FORGED', salt: null, content: 'scrubbed' });
    const report = await judged(scrubbed(document, entry, 'content_sha', content));
    expect(failuresOf(report)).toEqual([]);
    expect(report.uncovered).toEqual(expect.arrayContaining(['sources[].quote', 'sources[].url']));
  });

  test('excuses no opened entry', async () => {
    const { chains } = served('/bundle');
    const entries = Object.entries(chains).find(([name]) => name.endsWith('.sources'))?.[1] as [Listed];
    const [{ entry }] = entries;
    const replacement = { quote: 'FORGED' };
    const content = { salt: null, value: null, replacement, scrubbed_by: 'scrub_abcd' };
    Object.assign(entries[0], { contents: { content_sha: content } });
    const document = { slug: 'tides', entries } as unknown as Served;
    const report = await judged(scrubbed(document, entry, 'content_sha', replacement));
    expect(failuresOf(report)).toEqual([]);
    expect(report.uncovered).toContain('entries[].contents.content_sha.replacement');
  });

  test('excuses no change in the provenance', async () => {
    const document = served('');
    const item = document.provenance.find(({ change }) => change.claims?.length === 1) as Listed;
    const told = { text: 'FORGED claim.', hash: sha('FORGED claim.') };
    Object.assign(item.change.claims?.[0]?.claim ?? {}, told);
    Object.assign(document.claims[0], told);
    Object.assign(item, { salt: null, content: 'scrubbed' });
    const names = 'change cost input model prompt response tokens_in tokens_out'.split(' ');
    const content = Object.fromEntries(names.map((name) => [name, item[name] ?? null]));
    const report = await judged(scrubbed(document, item.entry, 'content_sha', content));
    expect(failuresOf(report)).toEqual([]);
    expect(report.uncovered).toEqual(
      expect.arrayContaining(['claims', 'title', 'body', 'provenance[].change']),
    );
  });
});
