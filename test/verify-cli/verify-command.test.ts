import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveSecrets } from '../../src/app/credentials/secrets.ts';
import { schema } from '../../src/domain/schema.ts';
import { signCheckpoint } from '../../src/ledger/checkpoint.ts';
import { cosignerFromSeed } from '../../src/ledger/cosignature.ts';
import { alter, query } from '../fault/ledger.ts';
import { send } from '../http/client.ts';
import {
  freePort,
  newOwnerKey,
  removeFolders,
  runCommand,
  runCommandBeside,
  startServer,
  StartRefused,
  temporaryFolder,
  type RunningServer,
} from '../support/process-server.ts';

let server: RunningServer;
let owner: Record<string, string>;

beforeAll(async () => {
  server = await startServer();
  owner = { 'x-terminal-key': server.terminalKey };
  await send(server.base, {
    path: '/api/protocol/voxel-batch',
    headers: owner,
    body: { document: { slug: 'alpha', title: 'Alpha', markdown: '# Alpha\n\nOne.\n\nTwo.\n' } },
  });
  await send(server.base, {
    path: '/api/protocol/sources',
    headers: owner,
    body: { slug: 'alpha', sources: [{ type: 'review', url: 'https://h.test/', title: 'T', quote: 'Q' }] },
  });
  await append(30);
});

afterAll(async () => {
  await server.kill();
  removeFolders();
});

let appended = 0;

async function append(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const { status } = await send(server.base, {
      path: '/api/dispatch',
      body: { key: 'MIRROR_APPEND', body: `alpha||question|ada|Question ${appended++}?` },
    });
    expect(status).toBe(200);
  }
}

/** The ledger as it stands, on a folder of its own that no server owns. */
async function stoppedCopy(): Promise<string> {
  const folder = temporaryFolder();
  await server.stop();
  cpSync(server.folder, folder, { recursive: true });
  const { folder: same, port, terminalKey } = server;
  server = await startServer({ folder: same, port, terminalKey });
  return folder;
}

const oneLine = /^colophon: [^\n]+\n$/;

describe('colophon verify beside a running server', () => {
  it('reports no false problem during writes', async () => {
    const done = new AbortController();
    const writers = Array.from({ length: 4 }, async () => {
      while (!done.signal.aborted) await append(1);
    });
    for (let i = 0; i < 4; i++) {
      const { status, stdout, stderr } = await runCommandBeside(server.folder, ['verify', '--json']);
      expect([status, (JSON.parse(stdout) as { problems: unknown }).problems, stderr]).toEqual([0, [], '']);
    }
    const check = await runCommandBeside(server.folder, ['rebuild', '--check', '--json']);
    expect([check.status, (JSON.parse(check.stdout) as { differences: unknown }).differences]).toEqual([
      0,
      [],
    ]);
    done.abort();
    await Promise.all(writers);
  }, 60_000);

  it('recomputes the whole log from its URL with the given key', async () => {
    const key = (await send(server.base, { path: '/.well-known/colophon-key' })).body.trim();
    const given = await runCommandBeside(temporaryFolder(), ['verify', '--url', server.base, '--key', key]);
    expect([given.status, given.stdout]).toEqual([
      0,
      expect.stringMatching(/entries hash to their leaves/) as string,
    ]);
    const foreign = key.replace(
      /\+[A-Za-z0-9+/=]+$/,
      `+${Buffer.concat([Buffer.of(1), Buffer.alloc(32, 7)]).toString('base64')}`,
    );
    expect(
      (await runCommandBeside(temporaryFolder(), ['verify', '--url', server.base, '--key', foreign])).status,
    ).toBe(1);
  }, 30_000);

  it('verifies a receipt, a bundle and a list in a file, and detects one changed byte', async () => {
    const key = (await send(server.base, { path: '/.well-known/colophon-key' })).body.trim();
    const { invocations } = JSON.parse(
      (await send(server.base, { path: '/api/invocations?object_id=MIRROR_APPEND&limit=1', headers: owner }))
        .body,
    ) as { invocations: { id: string }[] };
    const receipt = (
      await send(server.base, { path: `/api/dispatch?receipt=${invocations[0]?.id}`, headers: owner })
    ).body;
    const bundle = (await send(server.base, { path: '/api/articles/alpha/bundle' })).body;
    const sources = (await send(server.base, { path: '/api/articles/alpha/sources' })).body;
    const folder = temporaryFolder();
    const files: [string, string, string][] = [
      ['receipt', receipt, receipt.replace('Question ', 'Answer ')],
      ['bundle', bundle, bundle.replace('"text":"One."', '"text":"Owe."')],
      ['sources', sources, sources.replace('"prev":"genesis"', '"prev":"genesys"')],
    ];
    for (const [name, sound, broken] of files) {
      expect([name, broken]).not.toEqual([name, sound]);
      for (const [text, expected] of [
        [sound, 0],
        [broken, 1],
      ] as const) {
        const file = join(folder, `${name}.json`);
        writeFileSync(file, text);
        const { status, stdout } = await runCommandBeside(folder, ['verify', file, '--key', key]);
        expect([name, status, /^FAIL /m.test(stdout)]).toEqual([name, expected, expected === 1]);
      }
    }
  }, 60_000);

  it('demands the quorum of a policy on a log, a receipt, a checkpoint and a data folder', async () => {
    const key = (await send(server.base, { path: '/.well-known/colophon-key' })).body.trim();
    const folder = temporaryFolder();
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const witness = cosignerFromSeed('witness.example', 'ed25519', Buffer.alloc(32, 1));
    const demanding = file('demanding', `log ${key}\nwitness w1 ${witness.key.text}\nquorum w1\n`);
    const content = file('content', `log ${key}\nquorum none\n`);
    const malformed = file('malformed', `log ${key}\nquorum w1\n`);
    const checkpoint = (await send(server.base, { path: '/checkpoint' })).body;
    const { invocations } = JSON.parse(
      (await send(server.base, { path: '/api/invocations?object_id=MIRROR_APPEND&limit=1', headers: owner }))
        .body,
    ) as { invocations: { id: string }[] };
    const receipt = (
      await send(server.base, { path: `/api/dispatch?receipt=${invocations[0]?.id}`, headers: owner })
    ).body;
    const cosigned = (note: string): string =>
      note + (witness.cosign(`${note.split('\n\n')[0] as string}\n`, 1_790_000_000) as string);
    const { tlog_proof: proof } = (JSON.parse(receipt) as { proof: { tlog_proof: string } }).proof;
    const body = proof.slice(proof.indexOf('\n\n') + 2);
    const witnessed = receipt.replace(
      JSON.stringify(body).slice(1, -1),
      JSON.stringify(cosigned(body)).slice(1, -1),
    );
    expect(witnessed).not.toBe(receipt);
    const lacks = 'cosigned by no witness of the policy: the quorum w1 is not met';
    const meets = 'cosigned by w1 at 2026-09-21T14:13:20Z: the quorum w1 is met';
    const cases: readonly (readonly [
      subject: readonly string[],
      policy: string,
      status: number,
      line: string,
    ])[] = [
      [['--url', server.base], demanding, 1, `FAIL quorum: ${lacks}`],
      [['--url', server.base], content, 0, 'ok   quorum: '],
      [
        ['--url', server.base],
        malformed,
        1,
        'FAIL policy: line 2 of the policy: "w1" is not defined on a line above',
      ],
      [[file('receipt', receipt)], demanding, 1, `FAIL quorum: ${lacks}`],
      [[file('witnessed', witnessed)], demanding, 0, `ok   quorum: ${meets}`],
      [[file('checkpoint', checkpoint)], demanding, 1, `FAIL quorum: ${lacks}`],
      [[file('cosigned', cosigned(checkpoint))], demanding, 0, `ok   quorum: ${meets}`],
      [['--data', server.folder], demanding, 1, `the newest checkpoint is ${lacks}`],
      [['--data', server.folder], content, 0, 'Sound: '],
      [['--data', server.folder], malformed, 1, 'line 2 of the policy: "w1" is not defined on a line above'],
    ];
    const results = await Promise.all(
      cases.map(([subject, policy]) => runCommandBeside(folder, ['verify', ...subject, '--policy', policy])),
    );
    for (const [i, { status, stdout, stderr }] of results.entries()) {
      const [, , expected, line] = cases[i] as (typeof cases)[number];
      expect([i, status, stderr]).toEqual([i, expected, '']);
      expect(stdout).toContain(line);
    }
  }, 60_000);

  it('demands that a log and a data folder continue a checkpoint kept from before', async () => {
    const folder = temporaryFolder();
    const before = (await send(server.base, { path: '/checkpoint' })).body;
    await append(2);
    const [origin = '', size = ''] = before.split('\n');
    const secret = readFileSync(join(server.folder, 'secret.key'), 'utf8').trim();
    const { signer } = deriveSecrets(secret, origin, '00'.repeat(32));
    const path = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    // What the operator showed to somebody else.
    const forked = path('forked', signCheckpoint(signer, Number(size), Buffer.alloc(32, 1)));
    const longer = path('longer', signCheckpoint(signer, Number(size) + 1000, Buffer.alloc(32, 1)));
    const kept = path('kept', before);
    const cases: readonly (readonly [
      subject: readonly string[],
      previous: string,
      status: number,
      line: string,
    ])[] = [
      [
        ['--url', server.base],
        kept,
        0,
        `ok   previous: the log begins with the ${size} entries signed before`,
      ],
      [
        ['--url', server.base],
        forked,
        1,
        `FAIL previous: the log does not begin with the ${size} entries signed before`,
      ],
      [['--url', server.base], longer, 1, 'FAIL previous: the log has '],
      [['--data', server.folder], kept, 0, 'Sound: '],
      [
        ['--data', server.folder],
        forked,
        1,
        `the checkpoint given signs another root over the first ${size} entries`,
      ],
      [['--data', server.folder], longer, 1, 'the checkpoint given covers '],
    ];
    const results = await Promise.all(
      cases.map(([subject, previous]) =>
        runCommandBeside(folder, ['verify', ...subject, '--previous', previous]),
      ),
    );
    for (const [i, { status, stdout }] of results.entries()) {
      const [, , expected, line] = cases[i] as (typeof cases)[number];
      expect([i, status]).toEqual([i, expected]);
      expect(stdout).toContain(line);
    }
    const refused = await runCommandBeside(folder, ['verify', kept, '--previous', kept]);
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringContaining('--previous takes --url or --data: a file shows no growth.') as string,
    ]);
  }, 60_000);

  it('shares the folder with no second server and no rebuild, which fail with one line', async () => {
    const second = startServer({ folder: server.folder, port: await freePort() });
    await expect(second).rejects.toThrow(StartRefused);
    await expect(second).rejects.toThrow(/status 2: colophon: another Colophon process owns [^\n]+\n$/);
    const { status, stderr } = await runCommandBeside(server.folder, ['rebuild']);
    expect([status, stderr]).toEqual([2, expect.stringMatching(oneLine) as string]);
    await append(1);
  }, 30_000);
});

describe('colophon verify on a stopped ledger', () => {
  it('reports in words and in JSON that it is sound, or which entry is not', async () => {
    const folder = await stoppedCopy();
    const sound = runCommand(folder, ['verify']);
    expect([sound.status, sound.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Sound: \d+ entries, \d+ contents, \d+ projected rows; root \S+ is the signed one/,
      ) as string,
    ]);
    expect(runCommand(folder, ['verify', '--ledger-only']).stdout).toMatch(
      /^Sound: \d+ entries, \d+ contents; root/,
    );
    alter(
      folder,
      'UPDATE entry SET text = replace(text, \'"actor":"owner"\', \'"actor":"ownex"\') WHERE seq = 1',
    );
    const broken = runCommand(folder, ['verify']);
    expect(broken.status).toBe(1);
    expect(broken.stdout).toMatch(
      /^entry 1: art_\w+\.d1#0: its bytes are not those whose hash was stored with it$/m,
    );
    expect(broken.stdout).toMatch(/^BROKEN: \d+ problems? in \d+ entries/m);
    const json = JSON.parse(runCommand(temporaryFolder(), ['verify', '--data', folder, '--json']).stdout) as {
      ok: boolean;
      problems: string[];
    };
    expect(json.ok).toBe(false);
    expect(json.problems.join('\n')).toMatch(/^entry 1: /m);
  }, 60_000);

  it('changes and creates nothing, and explains in one line what is missing', async () => {
    const folder = temporaryFolder();
    for (const [data, reason] of [
      [join(folder, 'nowhere'), /no data folder/],
      [folder, /no ledger/],
    ] as const) {
      const { status, stderr, stdout } = runCommand(data, ['verify']);
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(oneLine);
      expect(stderr).toMatch(reason);
    }
    expect(readdirSync(folder)).toEqual([]);
    const copy = await stoppedCopy();
    unlinkSync(join(copy, 'secret.key'));
    const { status, stderr } = runCommand(copy, ['verify']);
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^colophon: \S+secret\.key is missing[^\n]+\n$/) as string,
    ]);
    expect(existsSync(join(copy, 'secret.key'))).toBe(false);
    const usage = runCommand(copy, ['verify', '--frob']);
    expect([usage.status, usage.stderr]).toEqual([
      2,
      expect.stringMatching(/^colophon verify: [^\n]+\n$/) as string,
    ]);
  }, 60_000);
});

describe('colophon rebuild', () => {
  it('rebuilds every projection, and check and reads give the same results as before', async () => {
    const folder = await stoppedCopy();
    const dump = (): string =>
      JSON.stringify(
        schema.tables.map((table) =>
          query(
            folder,
            `SELECT * FROM "${table.name}" ORDER BY ${table.keyNames.map((name) => `"${name}"`).join(', ')}`,
          ),
        ),
      );
    const before = dump();
    for (const table of schema.tables) {
      const rows = query(folder, `SELECT count(*) AS n FROM "${table.name}"`)[0]?.['n'] as number;
      if (rows > 0) alter(folder, `DELETE FROM "${table.name}"`, [], rows);
    }
    const check = runCommand(folder, ['rebuild', '--check']);
    expect([check.status, check.stdout]).toEqual([
      1,
      expect.stringMatching(/article_index main \/ alpha: missing/) as string,
    ]);
    expect(runCommand(folder, ['rebuild'])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Rebuilt \d+ rows in \d+ tables from \d+ entries/) as string,
    });
    expect(runCommand(folder, ['rebuild', '--check']).status).toBe(0);
    expect(dump()).toBe(before);
  }, 60_000);

  it('names an entry that it cannot replay', async () => {
    const folder = await stoppedCopy();
    alter(
      folder,
      `UPDATE entry SET packed = CAST('${' '.repeat(32)}no JSON' AS BLOB),
         fields = substr(fields, 1, instr(fields, '+') - 1) || '+39' WHERE seq = 0 AND instr(fields, '+')`,
    );
    const { status, stderr } = runCommand(folder, ['rebuild', '--check']);
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^colophon: the ledger cannot be read: entry 0 cannot be replayed: [^\n]+ Run colophon verify\.\n$/,
      ) as string,
    ]);
  }, 30_000);
});

describe('colophon serve', () => {
  it('stops when asked to, despite an unfinished request, and loses nothing it answered', async () => {
    const stopping = await startServer();
    await send(stopping.base, {
      path: '/api/protocol/voxel-batch',
      headers: { 'x-terminal-key': stopping.terminalKey },
      body: { document: { slug: 'alpha', markdown: 'One.\n' } },
    });
    const unfinished = connect(stopping.port, '127.0.0.1');
    unfinished.on('error', () => undefined);
    unfinished.write(
      'POST /api/dispatch HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"key"',
    );
    let answered = 0;
    let tell = (): void => undefined;
    const enough = new Promise<void>((done) => (tell = done));
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let i = 0; ; i++) {
        const body = { key: 'MIRROR_APPEND', body: `alpha||question|ada|Before the end, ${writer} ${i}.` };
        const reply = await send(stopping.base, { path: '/api/dispatch', body }).catch(() => undefined);
        if (reply?.status === 200 && ++answered === 50) tell();
        if (reply === undefined) return;
      }
    });
    await enough;
    expect(await stopping.stop()).toBe(0);
    await Promise.all(writers);
    unfinished.destroy();
    const kept = query(stopping.folder, 'SELECT count(*) AS n FROM contribution')[0]?.['n'] as number;
    expect(kept).toBeGreaterThanOrEqual(answered);
    expect(kept).toBeLessThanOrEqual(answered + 8);
    expect(runCommand(stopping.folder, ['verify']).status).toBe(0);
  }, 30_000);

  it('refuses a rolled back ledger in one line, and accepts it with --accept-rollback', async () => {
    const older = await stoppedCopy();
    await append(3);
    const newer = await stoppedCopy();
    copyFileSync(join(older, 'colophon.db'), join(newer, 'colophon.db'));
    const options = { folder: newer, port: await freePort(), terminalKey: newOwnerKey() };
    await expect(startServer(options)).rejects.toThrow(
      /status 2: colophon: The ledger has \d+ entries; the checkpoint kept apart from it has seen \d+\. Restore the newer ledger, or start with --accept-rollback[^\n]+\n$/,
    );
    const accepted = await startServer({ ...options, args: ['--accept-rollback'] });
    const { json } = {
      json: JSON.parse((await send(accepted.base, { path: '/api/articles/alpha/mirror' })).body) as {
        count: number;
      },
    };
    expect(json.count).toBeLessThan(appended);
    await accepted.stop();
    expect(runCommand(newer, ['verify']).status).toBe(0);
    const again = await startServer(options);
    await again.stop();
    expect(readdirSync(newer).filter((name) => name.startsWith('checkpoint.rejected-'))).toHaveLength(1);
  }, 60_000);

  it('explains in one line that a file is not a database or that the data folder is a file', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'colophon.db'), 'This is no database at all. '.repeat(300));
    const port = await freePort();
    await expect(startServer({ folder, port })).rejects.toThrow(
      /status 2: colophon: the ledger cannot be read: file is not a database\. Run colophon verify\.\n$/,
    );
    expect(readFileSync(join(folder, 'colophon.db'), 'utf8')).toMatch(/^This is no database/);
    const { status, stdout } = runCommand(folder, ['verify']);
    expect([status, stdout]).toEqual([
      1,
      expect.stringMatching(/the database file is damaged: file is not a database/) as string,
    ]);
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'sub', 'file'), '');
    await expect(startServer({ folder: join(folder, 'sub', 'file'), port })).rejects.toThrow(
      /status 2: colophon: [^\n]+\n$/,
    );
  }, 30_000);
});
