import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/kernel/hash.ts';
import { removeFolders, runCommandBeside, temporaryFolder } from '../support/process-server.ts';

const folder = temporaryFolder();
afterAll(removeFolders);

const lint = async (name: string, value: unknown) => {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(value));
  const { status, stdout, stderr } = await runCommandBeside(folder, ['lint', file, '--json']);
  const { findings } = (stdout === '' ? { findings: [] } : JSON.parse(stdout)) as {
    findings: { code: string; at: string }[];
  };
  return { status, stderr, findings: findings.map(({ code, at }) => `${at} ${code}`) };
};

const source = { type: 'review', url: 'https://example.org/a', title: 'A', quote: 'The words.' };
const claim = { text: 'Zinc shortens colds.', tier: 'human', who_claims: 'ada', source_ids: ['s1'] };

describe('colophon lint', () => {
  it('accepts lines that follow the rules', async () => {
    expect(await lint('good.json', { sources: [source], claims: [claim] })).toMatchObject({
      status: 0,
      findings: [],
    });
  });

  it('distinguishes two assertions in one claim from one assertion about two things', async () => {
    const { findings } = await lint('joined.json', {
      sources: [source],
      claims: [
        'The cache stores keys and the log stores values.',
        'The server reads the file and the client writes the index.',
        'A cache holds keys while the log holds values.',
        'The log keeps the keys and the values.',
        'The index counts the calls and the disk reads.',
        'The report lists the keys and the old stores of the shop.',
        'Limpets return to the scar and they graze the rock at night.',
        'The paper says limpets return and they graze the rock.',
      ].map((text) => ({ ...claim, text })),
    });
    expect(findings).toEqual([
      '/claims/0/text#22-47 compound',
      '/claims/1/text#26-57 compound',
      '/claims/2/text#19-45 compound',
      '/claims/6/text#27-59 compound',
    ]);
  });

  it('recognizes an instruction by the imperative verb at its start', async () => {
    const { findings } = await lint('told.json', {
      sources: [source],
      claims: [
        'Validate the origin of each handshake.',
        'Rotate keys weekly.',
        'Go compiles to native code.',
        'GET the index returns is stale.',
        'Suffering the loss of a shell ends the life of a limpet.',
      ].map((text) => ({ ...claim, text })),
    });
    expect(findings).toEqual(['/claims/0/text#0-8 imperative', '/claims/1/text#0-6 imperative']);
  });

  it.each([
    ['tuned on', 46, 58, 39],
    ['held out', 56, 57, 34],
  ])(
    'accepts every single assertion of the lines %s and refuses most of those that join two',
    async (part, ...counts) => {
      const lines = readFileSync(join(import.meta.dirname, '../../vectors/claims/compound.tsv'), 'utf8')
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split('\t') as [string, string])
        .filter(
          ([, text]) =>
            (Number.parseInt(sha256Hex(text).slice(0, 2), 16) % 2 === 0 ? 'tuned on' : 'held out') === part,
        );
      const { findings } = await lint('labelled.json', {
        sources: [source],
        claims: lines.map(([, text]) => ({ ...claim, text })),
      });
      const refused = new Set(
        findings
          .filter((each) => each.endsWith(' compound'))
          .map((each) => Number(/^\/claims\/(\d+)/.exec(each)?.[1])),
      );
      const [compound, single] = ['compound', 'single'].map((label) =>
        lines.flatMap(([each], n) => (each === label ? [n] : [])),
      ) as [number[], number[]];
      expect(single.filter((n) => refused.has(n))).toEqual([]);
      expect([compound.length, single.length, compound.filter((n) => refused.has(n)).length]).toEqual(counts);
    },
  );

  it('proposes how to split a joined claim, and only warns when unsure', async () => {
    const file = join(folder, 'split.json');
    const texts = [
      'The daemon reads the file and closes it.',
      'The valve closes at 80 degrees and opens at 60 degrees.',
      'The phrase "the king is dead and the queen lives" occurs twice in the play.',
      `Tea ${'('.repeat(200_000)} and is warm.`,
    ];
    writeFileSync(
      file,
      JSON.stringify({ sources: [source], claims: texts.map((text) => ({ ...claim, text })) }),
    );
    const { stdout } = await runCommandBeside(folder, ['lint', file]);
    const { pathname } = new URL(`file://${file}`);
    expect(stdout.split('\n').map((line) => line.replace(pathname, '').slice(0, 180))).toEqual([
      '/claims/0/text#26-39: error compound: The claim joins two assertions. Post each as its own claim: "The daemon reads the file." and "The daemon closes it."',
      '/claims/1/text#31-54: warning compound_suspected: The claim may join two assertions. If so, post each as its own claim: "The valve closes at 80 degrees." and "The valve opens at 60 degrees."'.slice(
        0,
        180,
      ),
      '/claims/3/text#280-200017: error too_long: The claim has 200017 characters; at most 280 are allowed. Keep one assertion and post the rest as further claims.',
      '1 file, 2 errors.',
      '',
    ]);
  });

  it('names each violation by its place in the file, including a repeated source', async () => {
    const { status, findings } = await lint('bad.json', {
      sources: [source, { ...source, url: 'https://EXAMPLE.org/a#top' }],
      claims: [claim, { ...claim, text: 'You should take 5 mg.', source_ids: ['s9'] }],
    });
    expect(status).toBe(1);
    expect(findings).toEqual([
      '/sources/1 repeated_source',
      '/claims/1/text#0-10 advice',
      '/claims/1/text#16-20 dose',
      '/claims/1/source_ids/0 dangling_source',
    ]);
  });

  it('keeps the index of an item that is not an object, and refuses a file without a list', async () => {
    const { status, findings } = await lint('odd.json', { sources: {}, claims: [claim, 7] });
    expect(status).toBe(1);
    expect(findings.slice(0, 2)).toEqual(['/sources shape', '/claims/1 shape']);
    expect(findings).toContain('/claims/0/source_ids/0 dangling_source');
    const refused = await lint('other.json', [claim]);
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('holds neither')]);
  });
});
