/** An import that dies in the middle: nothing is half published, and the next one completes it (contract §8). */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { send } from '../http/client.ts';
import {
  removeFolders,
  runCommandBeside,
  startServer,
  temporaryFolder,
  type RunningServer,
} from '../support/process-server.ts';

const command =
  process.env['COLOPHON_BIN'] ?? fileURLToPath(new URL('../../bin/colophon.js', import.meta.url));
const notes = 40;
let running: RunningServer | undefined;

afterAll(async () => {
  await running?.kill();
  removeFolders();
});

describe('an import of a vault whose server is killed', () => {
  it.each([1, 7, 23])(
    'after %i articles is completed by the next one, with nothing twice',
    async (after) => {
      const vault = temporaryFolder();
      mkdirSync(join(vault, 'sub'));
      for (let i = 0; i < notes; i++)
        writeFileSync(
          join(vault, i % 2 === 0 ? '' : 'sub', `Note ${i}.md`),
          `---\ntags: [kept]\nstatus: published\n---\n\n# Note ${i}\n\nTo [[Note ${(i + 1) % notes}]]. ^end\n`,
        );
      let server = (running = await startServer());
      const { folder, port, terminalKey } = server;
      const read = async (path: string) => {
        const answer = await send(server.base, { path, headers: { 'x-terminal-key': terminalKey } });
        return JSON.parse(answer.body) as Record<string, unknown>;
      };
      const child = spawn(process.execPath, [command, 'import', '--vault', vault], {
        env: { PATH: process.env['PATH'] ?? '', HOME: folder, COLOPHON_DATA: folder, COLOPHON_LOG: 'error' },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      let written = 0;
      let killed: Promise<void> | undefined;
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        written += text.split('written as published').length - 1;
        if (written >= after) killed ??= server.kill();
      });
      const status = await new Promise<number | null>((done) => child.once('close', done));
      await killed;
      expect([status === 0, written < notes]).toEqual([false, true]);
      server = running = await startServer({ folder, port, terminalKey });
      // What was begun is a draft, never half an article that everyone reads.
      for (let i = 0; i < notes; i++) {
        const { error, status: state, tags } = await read(`/api/articles/note-${i}`);
        if (error !== 'not_found')
          expect([['draft', 'published'].includes(String(state)), tags]).toEqual([true, ['kept']]);
      }
      const again = await runCommandBeside(folder, ['import', '--vault', vault]);
      expect([again.status, again.stdout]).toEqual([0, expect.not.stringMatching(/conflict|address taken/)]);
      for (let i = 0; i < notes; i++)
        expect(await read(`/api/articles/note-${i}`)).toMatchObject({
          status: 'published',
          body: `# Note ${i}\n\nTo [Note ${(i + 1) % notes}](/a/note-${(i + 1) % notes}).\n`,
        });
      const third = await runCommandBeside(folder, ['import', '--vault', vault]);
      expect(third.stdout).toContain(`Wrote 0 of ${notes} articles; ${notes} unchanged.`);
      expect((await read('/api/articles/note-0-2'))['error']).toBe('not_found');
      await server.kill();
    },
    60_000,
  );
});
