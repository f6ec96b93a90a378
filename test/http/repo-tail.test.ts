import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'colophon-repo-'));
const repository = join(folder, 'sample');

function git(...args: readonly string[]): void {
  const who = { name: 'Ada Lovelace', email: 'ada@example.org' };
  execFileSync('git', ['-C', repository, '-c', 'commit.gpgsign=false', ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: who.name,
      GIT_AUTHOR_EMAIL: who.email,
      GIT_AUTHOR_DATE: '2026-01-02T03:04:05Z',
      GIT_COMMITTER_NAME: who.name,
      GIT_COMMITTER_EMAIL: who.email,
      GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z',
    },
  });
}

async function tail(server: TestServer): Promise<Answer> {
  const response = await server.fetch('/api/dispatch', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-terminal-key': terminalKey },
    body: JSON.stringify({ key: 'REPO_TAIL', body: '' }),
  });
  return { ...((await response.json()) as Answer), http: response.status };
}

describe('REPO_TAIL', () => {
  const servers: TestServer[] = [];

  beforeAll(() => {
    mkdirSync(join(repository, 'src'), { recursive: true });
    git('init', '-q', '-b', 'trunk');
    for (const n of [1, 2, 3, 4]) {
      writeFileSync(join(repository, 'src', 'a.txt'), `${n}\n`);
      writeFileSync(join(repository, 'READ me.md'), `${n}\n`);
      git('add', '-A');
      git('commit', '-q', '-m', `Change ${n} by Ada Lovelace\n\nAt length.`);
    }
  });

  afterAll(async () => {
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true });
  });

  const start = async (env: Readonly<Record<string, string>>): Promise<TestServer> => {
    const server = await startServer(env);
    servers.push(server);
    return server;
  };

  it('returns metadata, the root tree and the last three commits, without the owner name', async () => {
    // What a repository asks git to run is not run.
    git('config', 'core.fsmonitor', `touch ${join(folder, 'ran')}; false`);
    const server = await start({ COLOPHON_REPO: repository, COLOPHON_OWNER_NAME: 'Ada Lovelace' });
    const { result } = await tail(server);
    expect(result).toMatchObject({ name: 'sample', branch: 'trunk', object_format: 'sha1' });
    expect(result.root.map(({ name, type, size }: Answer) => [name, type, size])).toEqual([
      ['READ me.md', 'blob', 2],
      ['src', 'tree', null],
    ]);
    expect(result.commits.map(({ author, ts, subject }: Answer) => [author, ts, subject])).toEqual([
      ['owner', '2026-01-02T03:04:05.000Z', 'Change 4 by owner'],
      ['owner', '2026-01-02T03:04:05.000Z', 'Change 3 by owner'],
      ['owner', '2026-01-02T03:04:05.000Z', 'Change 2 by owner'],
    ]);
    expect([result.head, result.commits[0].parents]).toEqual([
      result.commits[0].sha,
      [result.commits[1].sha],
    ]);
    expect(JSON.stringify(result)).not.toContain(folder);
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  it('names the missing setting when no repository is configured', async () => {
    const answer = await tail(await start({}));
    expect([answer['http'], answer['error'], answer['missing']]).toEqual([
      502,
      'runner_failed',
      ['COLOPHON_REPO'],
    ]);
  });

  it('fails without revealing paths when the folder is not a repository', async () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    const answer = await tail(await start({ COLOPHON_REPO: empty }));
    expect([answer['http'], answer['reason']]).toEqual([502, 'unreadable']);
    expect(JSON.stringify(answer)).not.toContain(folder);
  });

  it('stops the start when the folder does not exist', async () => {
    await expect(startServer({ COLOPHON_REPO: '/nowhere' })).rejects.toThrow(
      'COLOPHON_REPO is "/nowhere"; it accepts a folder that exists.',
    );
  });
});
