import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
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
  it('finds nothing in what the rules allow', async () => {
    expect(await lint('good.json', { sources: [source], claims: [claim] })).toMatchObject({
      status: 0,
      findings: [],
    });
  });

  it('tells two assertions in one claim from one assertion about two things', async () => {
    const { findings } = await lint('joined.json', {
      sources: [source],
      claims: [
        'The cache stores keys and the log stores values.',
        'The server reads the file and the client writes the index.',
        'A cache holds keys while the log holds values.',
        'The log keeps the keys and the values.',
        'The index counts the calls and the disk reads.',
        'The report lists the keys and the old stores of the shop.',
      ].map((text) => ({ ...claim, text })),
    });
    expect(findings).toEqual([
      '/claims/0/text#22-47 compound',
      '/claims/1/text#26-51 compound',
      '/claims/2/text#19-38 compound',
    ]);
  });

  it('names every breach by its place in the file, and a source that stands there twice', async () => {
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

  it('passes over nothing: what is no object keeps its place, what holds no list is refused', async () => {
    const { status, findings } = await lint('odd.json', { sources: {}, claims: [claim, 7] });
    expect(status).toBe(1);
    expect(findings.slice(0, 2)).toEqual(['/sources shape', '/claims/1 shape']);
    expect(findings).toContain('/claims/0/source_ids/0 dangling_source');
    const refused = await lint('other.json', [claim]);
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('holds neither')]);
  });
});
