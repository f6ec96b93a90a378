/** A start with a clock that cannot be right (contract §6): one line and nothing written, unless it is accepted. */
import { afterAll, describe, expect, it, vi } from 'vitest';
import { ClockWatch, judgeClock } from '../../src/app/background/clock.ts';
import { releasedAt } from '../../src/kernel/build.ts';
import { send } from '../http/client.ts';
import { hasPostgres, sharedPostgres } from '../support/postgres.ts';
import {
  newOwnerKey,
  removeFolders,
  runCommandBeside,
  startServer,
  temporaryFolder,
  type RunningServer,
} from '../support/process-server.ts';

const terminalKey = newOwnerKey();
const minute = 60_000;
const year = 365.25 * 24 * 60 * minute;

/** The environment of a process whose clock is ahead by so much. */
function clockAhead(ms: number): Record<string, string> {
  const code = `const Real = Date, by = ${ms};
    globalThis.Date = class extends Real {
      constructor(...given) { if (given.length === 0) super(Real.now() + by); else super(...given); }
      static now() { return Real.now() + by; }
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}

async function write(server: RunningServer, slug: string): Promise<string> {
  const { status, body } = await send(server.base, {
    path: '/api/protocol/voxel-batch',
    body: { document: { slug, markdown: `# ${slug}\n\nA text.\n` } },
    headers: { 'x-terminal-key': terminalKey },
  });
  expect(status).toBe(200);
  return body;
}

afterAll(removeFolders);

describe('a start with an implausible clock', () => {
  it('is refused more than five minutes behind the newest entry, and allowed with --accept-clock', async () => {
    const ahead = await startServer({ terminalKey, env: clockAhead(6 * minute) });
    await write(ahead, 'ahead');
    await ahead.stop();
    const options = { folder: ahead.folder, port: ahead.port, terminalKey };
    await expect(startServer(options)).rejects.toThrow(
      /status 2: colophon: the clock of this machine cannot be right: it says \S+, and the newest entry is of \S+, more than five minutes later\. [^\n]+--accept-clock[^\n]+\n$/,
    );
    expect((await runCommandBeside(ahead.folder, ['verify'])).status).toBe(0);
    const accepted = await startServer({
      ...options,
      args: ['--accept-clock'],
      env: { COLOPHON_LOG: 'warn' },
    });
    expect(accepted.output()).toContain('look at the clock of this machine');
    await write(accepted, 'now');
    await accepted.stop();
    // The newest entry is of the right time again.
    await (await startServer(options)).stop();
  }, 60_000);

  it('only logs a warning within five minutes of the newest entry', async () => {
    const ahead = await startServer({ terminalKey, env: clockAhead(3 * minute) });
    await write(ahead, 'ahead');
    await ahead.stop();
    const { folder, port } = ahead;
    const server = await startServer({ folder, port, terminalKey, env: { COLOPHON_LOG: 'warn' } });
    expect(server.output()).toContain('look at the clock of this machine: it says');
    await server.stop();
  }, 60_000);

  it('is refused ten years after the release, even with an empty ledger, and creates no owner key', async () => {
    const folder = temporaryFolder();
    const { status, stdout, stderr } = await runCommandBeside(folder, ['serve'], {
      ...clockAhead(11 * year),
      PORT: '0',
    });
    expect([status, stdout, stderr]).toEqual([
      2,
      '',
      expect.stringMatching(
        /^colophon: the clock of this machine cannot be right: it says 20\d\d-\S+, which is more than ten years after this version was released\. [^\n]+--accept-clock[^\n]+\n$/,
      ),
    ]);
    const server = await startServer({ folder, env: { COLOPHON_TERMINAL_KEY: '' } });
    await vi.waitFor(() => expect(server.output()).toContain('Owner key (shown once, keep it): tk_'));
    await server.stop();
  }, 60_000);

  it.runIf(hasPostgres)(
    'is refused on PostgreSQL as well',
    async () => {
      const postgres = await sharedPostgres();
      try {
        const env = { DATABASE_URL: await postgres.database() };
        const ahead = await startServer({ terminalKey, env: { ...env, ...clockAhead(6 * minute) } });
        await write(ahead, 'ahead');
        await ahead.stop();
        await expect(
          startServer({ folder: ahead.folder, port: ahead.port, terminalKey, env }),
        ).rejects.toThrow(/the newest entry is of \S+, more than five minutes later/);
      } finally {
        await postgres.stop();
      }
    },
    60_000,
  );
});

describe('the clock check', () => {
  const released = Date.parse(releasedAt);

  it('has a release date in the past', () => {
    expect(released).toBeLessThan(Date.now());
  });

  it.each([
    ['at the time of the newest entry', 0, 0, {}],
    ['an hour later', 60 * minute, 0, {}],
    ['a minute behind it', 0, minute, { odd: expect.any(String) }],
    ['five minutes behind it', 0, 5 * minute, { odd: expect.any(String) }],
    ['more than five minutes behind it', 0, 5 * minute + 1, { wrong: expect.any(String) }],
    ['forty days after it', 40 * 24 * 60 * minute, 0, { odd: expect.any(String) }],
    ['before the release', -minute, -2 * minute, { odd: expect.any(String) }],
    ['nine years after the release', 9 * year, 9 * year, {}],
    ['eleven years after the release', 11 * year, 11 * year, { wrong: expect.any(String) }],
  ])('judges a clock %s', (_, now, newest, verdict) => {
    expect(judgeClock(released + now, new Date(released + newest).toISOString())).toEqual(verdict);
  });

  it('logs and counts a clock jump while the server runs, but not a slewed clock', () => {
    let now = released;
    let passed = 0;
    const said: string[] = [];
    const watch = new ClockWatch(
      () => now,
      (error) => said.push((error as Error).message),
      () => passed,
    );
    const after = (ms: number, byMs: number): void => {
      passed += ms;
      now += ms + byMs;
      watch.look();
    };
    watch.look();
    after(1000, 0);
    after(1000, 500);
    expect([watch.jumps, said]).toEqual([0, []]);
    after(1000, -3600_000);
    after(1000, 11 * year);
    expect(watch.jumps).toBe(2);
    expect(said[0]).toMatch(/jumped back by 3600 seconds/);
    expect(said[1]).toMatch(/jumped ahead by \d+ seconds, to \S+: no start would accept it/);
  });
});
