/**
 * Three deployments on loopback that witness each other (contract §6). The operator of one sets it back and writes another
 * history under the same key: the others' witnesses, the monitor, the verifier with a policy and the browser each name it,
 * while the other two go on.
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cosignerFromSeed } from '../../src/ledger/cosignature.ts';
import { chromiumPath, launchBrowser, visit } from '../support/browser.ts';
import {
  freePort,
  newOwnerKey,
  removeFolders,
  runCommandBeside,
  startServer,
  temporaryFolder,
  type CommandResult,
  type RunningServer,
} from '../support/process-server.ts';

const names = ['ada', 'bo', 'cy'] as const;
type Name = (typeof names)[number];

const folder = temporaryFolder();
const terminalKey = newOwnerKey();
const running = {} as Record<Name, RunningServer>;
const ports = {} as Record<Name, number>;
const policies = {} as Record<Name, string>;
const logKeys = {} as Record<Name, string>;

const textAt = async (name: Name, path: string): Promise<string> =>
  (await fetch(running[name].base + path)).text();
const sizeOf = (note: string): number => Number(note.split('\n')[1]);
const newest = async (name: Name): Promise<number> => sizeOf(await textAt(name, '/checkpoint?newest=1'));
const command = (...args: readonly string[]): Promise<CommandResult> => runCommandBeside(folder, args);

async function start(name: Name, env: Readonly<Record<string, string>>): Promise<void> {
  running[name] = await startServer({ folder: join(folder, name), port: ports[name], terminalKey, env });
}

/** Restarts as a log that asks the other two and a witness of both. */
async function restart(name: Name, policy = policies[name]): Promise<void> {
  await start(name, {
    COLOPHON_POLICY: policy,
    COLOPHON_WITNESS_LOGS: join(folder, `${name}.logs`),
  });
}

async function write(name: Name, slug: string): Promise<string> {
  const answer = await fetch(`${running[name].base}/api/protocol/voxel-batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-terminal-key': terminalKey },
    body: JSON.stringify({ document: { slug, markdown: `# ${slug}\n\nA text.\n` } }),
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { receipt: { id: string } }).receipt.id;
}

/** Waits until `/checkpoint` covers everything with both cosigners of the others. */
async function cosigned(name: Name): Promise<string> {
  return vi.waitFor(
    async () => {
      const note = await textAt(name, '/checkpoint');
      expect(sizeOf(note)).toBe(await newest(name));
      expect(note.match(/\/witness /g)?.length).toBe(2);
      return note;
    },
    { timeout: 20_000, interval: 200 },
  );
}

async function save(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const confirmation = async (inv: string): Promise<string> =>
  save(`${inv}.receipt`, await textAt('ada', `/api/dispatch?confirm=${inv}`));

beforeAll(async () => {
  const witnessKeys = {} as Record<Name, string>;
  for (const name of names) {
    ports[name] = await freePort();
    await start(name, {});
    await write(name, `of-${name}`);
    logKeys[name] = (await textAt(name, '/.well-known/colophon-key')).trim();
    await running[name].stop();
    const keys = await runCommandBeside(join(folder, name), ['witness', 'keys'], {
      COLOPHON_BASE_URL: running[name].base,
    });
    witnessKeys[name] = keys.stdout.split('\n')[0] as string;
  }
  for (const name of names) {
    const others = names.filter((each) => each !== name);
    writeFileSync(join(folder, `${name}.logs`), others.map((each) => `${logKeys[each]}\n`).join(''));
    const witnesses = others.map(
      (each) => `witness ${each} ${witnessKeys[each]} ${running[each].base}/witness\n`,
    );
    policies[name] = await save(
      `${name}.policy`,
      `log ${logKeys[name]}\n${witnesses.join('')}group others all ${others.join(' ')}\nquorum others\n`,
    );
  }
  for (const name of names) await restart(name);
}, 120_000);

afterAll(async () => {
  for (const name of names) await running[name]?.kill();
  removeFolders();
});

describe('three deployments that witness each other', () => {
  let seen: string;
  let honest: string;

  it('have each checkpoint cosigned by the other two', async () => {
    for (const name of names) await cosigned(name);
    honest = await write('ada', 'real');
    const note = await cosigned('ada');
    const { status, stdout } = await command('verify', await confirmation(honest), '--policy', policies.ada);
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^ok {3}quorum: cosigned by bo at \S+, cy at \S+: the quorum others/m),
    ]);
    seen = await save('seen', note);
    const whole = await command('verify', '--url', running.ada.base, '--policy', policies.ada);
    expect(whole.status).toBe(0);
  }, 60_000);

  describe('of which one is set back and forked', () => {
    const state = join(folder, 'monitor');
    let forked: string;
    let browser: Browser | undefined;

    beforeAll(async () => {
      await running.ada.stop();
      const copy = join(folder, 'copy');
      cpSync(join(folder, 'ada'), copy, { recursive: true });
      await restart('ada');
      // The evidence of a witness needs a proof that names the older root: any size but a power of two has one.
      for (let i = 0; i === 0 || Number.isInteger(Math.log2(await newest('ada'))); i++)
        await write('ada', `kept-${i}`);
      seen = await save('seen', await cosigned('ada'));
      const looked = await command(
        'monitor',
        running.ada.base,
        '--policy',
        policies.ada,
        '--state',
        state,
        '--once',
      );
      expect([looked.status, looked.stderr]).toEqual([0, '']);
      await running.ada.stop();

      rmSync(join(folder, 'ada'), { recursive: true });
      cpSync(copy, join(folder, 'ada'), { recursive: true });
      for (const kept of ['checkpoint', 'checkpoint.cosigned'])
        rmSync(join(folder, 'ada', kept), { force: true });
      await expect(restart('ada')).rejects.toThrow('The next write would make a second history of this log');
      // So the operator claims a further witness that never answers, and is content with any one.
      const spare = cosignerFromSeed('spare.example', 'ed25519', Buffer.alloc(32, 9)).key.text;
      const claimed = readFileSync(policies.ada, 'utf8')
        .replace('group', `witness spare ${spare} http://127.0.0.1:9/witness\ngroup`)
        .replace('others all bo cy', 'others any bo cy spare');
      await restart('ada', await save('claimed.policy', claimed));
      for (let i = 0; (await newest('ada')) <= sizeOf(readFileSync(seen, 'utf8')); i++)
        forked = await write('ada', `other-${i}`);
      if (chromiumPath !== undefined) browser = await launchBrowser();
    }, 120_000);

    afterAll(() => browser?.close());

    it('is named by the witnesses of the other two, with evidence that convicts it', async () => {
      for (const name of ['bo', 'cy'] as const) {
        const [alarm] = await vi.waitFor(
          async () => {
            const { alarms } = JSON.parse(await textAt(name, '/witness/evidence')) as {
              alarms: { evidence: string | null }[];
            };
            expect(alarms).toHaveLength(1);
            return alarms;
          },
          { timeout: 20_000, interval: 200 },
        );
        const host = new URL(running.ada.base).host;
        expect(await textAt(name, '/log')).toContain(`The log ${host} signed two histories.`);
        expect(await textAt(name, '/metrics')).toContain('\ncolophon_witness_forks 1\n');
        const file = await save(`${name}.evidence`, await (await fetch(String(alarm?.evidence))).text());
        const judged = await command('verify', file, '--key', logKeys.ada);
        expect([judged.status, judged.stdout]).toEqual([
          0,
          expect.stringContaining(`ok   fork: the key of ${host} signed two histories: `),
        ]);
        expect(readdirSync(join(folder, name, 'evidence'))).toHaveLength(1);
      }
    }, 60_000);

    it('finds no quorum for what it wrote then, and shows the alarm itself', async () => {
      await vi.waitFor(
        async () => expect(await textAt('ada', '/metrics')).toContain('\ncolophon_cosigning_alarms 2\n'),
        { timeout: 20_000, interval: 200 },
      );
      expect(await textAt('ada', '/log')).toContain('Witness bo: it says that ');
      expect(sizeOf(await textAt('ada', '/checkpoint'))).toBeLessThan(sizeOf(readFileSync(seen, 'utf8')));
    }, 60_000);

    it('is refused by the verifier with a policy, or with a checkpoint that was seen', async () => {
      const receipt = await confirmation(forked);
      expect((await command('verify', receipt, '--key', logKeys.ada)).status).toBe(0);
      const demanded = await command('verify', receipt, '--policy', policies.ada);
      expect([demanded.status, demanded.stdout]).toEqual([
        1,
        expect.stringContaining(
          'FAIL quorum: cosigned by no witness of the policy: the quorum others (2 of bo, cy) is not met',
        ),
      ]);
      const grown = await command('verify', '--url', running.ada.base, '--previous', seen);
      expect(grown.status).toBe(1);
      expect(grown.stdout).toMatch(/^FAIL /m);
    }, 60_000);

    it('is convicted by the monitor', async () => {
      const { status, stdout } = await command(
        'monitor',
        running.ada.base,
        '--policy',
        policies.ada,
        '--state',
        state,
        '--once',
      );
      expect([status, stdout]).toEqual([1, expect.stringMatching(/^ALARM +\S+ signed two histories/m)]);
      const [file = ''] = readdirSync(join(state, 'evidence'));
      expect((await command('verify', join(state, 'evidence', file))).status).toBe(0);
    }, 60_000);

    it.skipIf(chromiumPath === undefined)(
      'is named by the pages in a browser',
      async () => {
        const page = await visit(browser as Browser, running.ada.base, `/receipt/${forked}`);
        await expect
          .poll(() => page.page.textContent('main'), { timeout: 10_000 })
          .toMatch(/not yet seen by enough witnesses/i);
        await page.close();
        const judge = await visit(browser as Browser, running.cy.base, '/verify');
        await judge.page.setInputFiles('#file', join(folder, 'bo.evidence'));
        await expect
          .poll(() => judge.page.textContent('main'), { timeout: 10_000 })
          .toContain('This key signed two histories');
        await judge.close();
      },
      60_000,
    );

    it('does not keep the other two from being cosigned', async () => {
      await write('bo', 'goes-on');
      expect(sizeOf(await cosigned('bo'))).toBe(await newest('bo'));
    }, 60_000);
  });
});
