import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compose } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { schema } from '../../src/domain/schema.ts';
import { columnOf } from '../../src/engine/tables.ts';
import { canonicalJson, type JsonObject } from '../../src/kernel/json.ts';
import { leafHash } from '../../src/ledger/entry.ts';
import { databaseName } from '../../src/store/sqlite/ddl.ts';
import { openDeployment } from '../support/deployment.ts';
import { expectProblem, expectRefused, withOtherEnd } from './damage.ts';
import { alter, contentsToRows, makeLedger, problemsOf, query, type MadeLedger } from './ledger.ts';

let ledger: MadeLedger;

beforeAll(async () => {
  ledger = await makeLedger();
});

afterAll(() => {
  ledger.end();
});

interface EntryRow {
  readonly seq: number;
  readonly chain: string;
  readonly n: number;
  readonly text: string;
}

function entries(where: string, ...values: (string | number)[]): EntryRow[] {
  return query(
    ledger.folder,
    `SELECT seq, chain, n, text FROM entry WHERE ${where}`,
    values,
  ) as unknown as EntryRow[];
}

function size(): number {
  return query(ledger.folder, 'SELECT count(*) AS n FROM entry')[0]?.['n'] as number;
}

describe('a sound ledger', () => {
  it('has two full tiles, a tail and a row in every table that can be filled', async () => {
    expect(await problemsOf(ledger.folder)).toEqual([]);
    expect(size()).toBeGreaterThan(513);
    expect(query(ledger.folder, 'SELECT level, n FROM tile ORDER BY n').map((row) => ({ ...row }))).toEqual([
      { level: 0, n: 0 },
      { level: 0, n: 1 },
    ]);
    const filled = schema.tables.filter(
      ({ name }) => (query(ledger.folder, `SELECT count(*) AS n FROM "${name}"`)[0]?.['n'] as number) > 0,
    );
    expect(filled.length).toBeGreaterThanOrEqual(13);
  });
});

describe('an altered entry', () => {
  it('is named in the middle of its chain and inside a full tile', async () => {
    const [entry] = entries("chain LIKE '%.mirror' AND n = 5");
    const folder = ledger.copy();
    alter(folder, 'UPDATE entry SET text = ? WHERE seq = ?', [
      withOtherEnd(entry?.text as string, 'ts'),
      entry?.seq as number,
    ]);
    await expectProblem(folder, new RegExp(`^entry ${entry?.seq}: `, 'm'));
  });

  it('is named at the end of its chain and behind the last full tile', async () => {
    const [entry] = entries("chain LIKE 'inv_%' AND seq >= 512 ORDER BY seq DESC LIMIT 1");
    const folder = ledger.copy();
    alter(folder, 'UPDATE entry SET text = ? WHERE seq = ?', [
      withOtherEnd(entry?.text as string, 'contract'),
      entry?.seq as number,
    ]);
    await expectProblem(
      folder,
      new RegExp(
        `^entry ${entry?.seq}: ${entry?.chain}#0: its bytes are not those whose hash was stored with it`,
        'm',
      ),
    );
  });

  it('is named by its tile when its stored hash was forged as well', async () => {
    const [entry] = entries("chain LIKE 'inv_%' AND seq BETWEEN 300 AND 500 LIMIT 1");
    const text = withOtherEnd(entry?.text as string, 'contract');
    const folder = ledger.copy();
    alter(folder, 'UPDATE entry SET text = ?, leaf = ? WHERE seq = ?', [
      text,
      leafHash(text),
      entry?.seq as number,
    ]);
    await expectProblem(folder, new RegExp(`^entry ${entry?.seq}: its hash is not the one in tile 0/1`, 'm'));
  });

  it('is detected by the signed root when the forger also changed the tail', async () => {
    const [entry] = entries("chain LIKE 'inv_%' AND seq >= 512 ORDER BY seq DESC LIMIT 1");
    const text = withOtherEnd(entry?.text as string, 'contract');
    const folder = ledger.copy();
    alter(folder, 'UPDATE entry SET text = ?, leaf = ? WHERE seq = ?', [
      text,
      leafHash(text),
      entry?.seq as number,
    ]);
    await expectProblem(
      folder,
      /checkpoint stored in the ledger signs another root over the first \d+ entries/,
    );
  });

  it('is named by each of its columns: chain, place in the chain, place in the log, act, hash', async () => {
    const [entry] = entries("chain LIKE '%.mirror' AND n = 7");
    const { seq, chain } = entry as EntryRow;
    const changes: [string, (string | number | Uint8Array)[]][] = [
      ['UPDATE entry SET chain = ? WHERE seq = ?', [withOtherEnd(`"c":"${chain}"`, 'c').slice(5, -1), seq]],
      ['UPDATE entry SET n = 7000 WHERE seq = ?', [seq]],
      ['UPDATE entry SET seq = 100000 WHERE seq = ?', [seq]],
      ['UPDATE entry SET act = act - 1 WHERE seq = ?', [seq]],
      ['UPDATE entry SET leaf = ? WHERE seq = ?', [new Uint8Array(32), seq]],
    ];
    for (const [sql, values] of changes) {
      const folder = ledger.copy();
      alter(folder, sql, values);
      await expectProblem(folder, new RegExp(`^entry ${seq}: `, 'm'));
    }
  });
});

describe('altered content', () => {
  type Row = Readonly<{ fields: string; packed: string | Uint8Array }>;
  type Change = (row: Row) => readonly [fields: string | null, packed: string | Uint8Array | null];
  const called = "fields LIKE '%request_sha+%response_sha+%' AND seq > 300";
  const div = "fields = 'text_sha' AND length(packed) > 33";
  const bytes = ({ packed }: Row): Buffer => Buffer.from(packed as Uint8Array);
  const turned = (row: Row, at: number): Buffer => {
    const copy = bytes(row);
    copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
    return copy;
  };
  const ofLast = (fields: string): string => fields.slice(fields.lastIndexOf(' ') + 1);

  it.each<[what: string, where: string, change: Change, reason: string]>([
    ['salt', called, (row) => [row.fields, turned(row, 0)], 'the content of \\w+ does not match'],
    [
      'body, at its very end',
      called,
      (row) => [row.fields, turned(row, row.packed.length - 1)],
      'the content of \\w+ does not match',
    ],
    [
      'text of a DIV',
      div,
      ({ fields, packed }) => [fields, `${packed as string}.`],
      'the content of text_sha does not match',
    ],
    [
      'field',
      "fields LIKE '%said_sha%'",
      ({ fields, packed }) => [fields.replace('said_sha', 'sald_sha'), packed],
      'the content of said_sha is missing',
    ],
    [
      'bytes, less one content',
      called,
      (row) => [
        row.fields.slice(0, row.fields.lastIndexOf(' ')),
        bytes(row).subarray(0, -Number(ofLast(row.fields).split('+')[1])),
      ],
      'the content of \\w+ is missing',
    ],
    [
      'salt, called a part of the text: together they still hash to the commitment',
      called,
      ({ fields, packed }) => [fields.replace('request_sha+', 'request_sha='), packed],
      'the content of request_sha does not match',
    ],
    [
      'first bytes, called a salt: together they still hash to the commitment',
      div,
      ({ packed }) => [`text_sha+${Buffer.byteLength(packed)}`, Buffer.from(packed as string)],
      'the content of text_sha does not match',
    ],
    [
      'text, stored as bytes, which hash alike',
      div,
      ({ fields, packed }) => [fields, Buffer.from(packed as string)],
      'its contents cannot be distinguished',
    ],
    [
      'bound to the next content, moved by one byte',
      called,
      ({ fields, packed }) => {
        const [first, second, ...rest] = fields.split(' ').map((said) => said.split('+'));
        const moved = [
          [first?.[0], Number(first?.[1]) + 1],
          [second?.[0], Number(second?.[1]) - 1],
        ];
        return [[...moved, ...rest].map((said) => said.join('+')).join(' '), packed];
      },
      'the content of \\w+ does not match',
    ],
    [
      'bytes, one too many',
      called,
      (row) => [row.fields, Buffer.concat([bytes(row), Buffer.of(0)])],
      'its contents cannot be distinguished',
    ],
    ['bytes, gone', called, ({ fields }) => [fields, null], 'its contents cannot be distinguished'],
    ['names, gone', called, ({ packed }) => [null, packed], 'the content of \\w+ is missing'],
    ['name, gone', div, ({ packed }) => [null, packed], 'its contents cannot be distinguished'],
    ['names and bytes, gone', called, () => [null, null], 'the content of \\w+ is missing'],
  ])('is named by its entry for its %s', async (_what, where, change, reason) => {
    const [row] = query(
      ledger.folder,
      `SELECT seq, fields, packed FROM entry WHERE ${where} LIMIT 1`,
    ) as unknown as (Row & { readonly seq: number })[];
    const folder = ledger.copy();
    const { seq } = row as { readonly seq: number };
    alter(folder, 'UPDATE entry SET fields = ?, packed = ? WHERE seq = ?', [...change(row as Row), seq]);
    await expectProblem(folder, new RegExp(`^entry ${seq}: \\S+: (?:${reason})`, 'm'));
  });

  it.each(['<= 1024', '> 1024'])(
    'is named by its entry when stored as a text whose bytes are %s',
    async (length) => {
      const [row] = query(
        ledger.folder,
        `SELECT seq FROM entry WHERE fields LIKE '%+%' AND octet_length(packed) ${length} LIMIT 1`,
      );
      const seq = row?.['seq'] as number;
      const folder = ledger.copy();
      alter(folder, 'UPDATE entry SET packed = CAST(packed AS TEXT) WHERE seq = ?', [seq]);
      await expectProblem(
        folder,
        new RegExp(`^entry ${seq}: \\S+: its contents cannot be distinguished`, 'm'),
      );
    },
  );

  it('is named when it was swapped between two entries', async () => {
    const [one, two] = query(ledger.folder, `SELECT seq, packed FROM entry WHERE ${div} LIMIT 2`) as {
      seq: number;
      packed: string;
    }[];
    const folder = ledger.copy();
    for (const [to, from] of [
      [one, two],
      [two, one],
    ])
      alter(folder, 'UPDATE entry SET packed = ? WHERE seq = ?', [from?.packed as string, to?.seq as number]);
    const problems = (await problemsOf(folder)).join('\n');
    expect(problems).toMatch(new RegExp(`^entry ${one?.seq}: `, 'm'));
    expect(problems).toMatch(new RegExp(`^entry ${two?.seq}: `, 'm'));
  });

  it('is named when it is stored again in a row of its own', async () => {
    const [row] = query(ledger.folder, `SELECT seq, packed FROM entry WHERE ${div} LIMIT 1`) as {
      seq: number;
      packed: string;
    }[];
    const folder = ledger.copy();
    alter(folder, "INSERT INTO content (id, field, salt, body) VALUES (?, 'text_sha', NULL, ?)", [
      (row?.seq as number) * 8,
      row?.packed as string,
    ]);
    await expectProblem(folder, new RegExp(`^entry ${row?.seq}: \\S+: its contents are stored twice`, 'm'));
  });
});

/** Contents as rows of their own: as older versions wrote them, and of every entry of which one was taken away. */
describe('altered content in a row of its own', () => {
  let older = '';

  beforeAll(async () => {
    older = ledger.copy();
    contentsToRows(older);
    expect(query(older, 'SELECT count(*) AS n FROM entry WHERE packed IS NOT NULL')[0]?.['n']).toBe(0);
    expect(await problemsOf(older)).toEqual([]);
  });

  it('can be read, written and scrubbed after an upgrade, and is sound when unaltered', async () => {
    const folder = ledger.copy(older);
    // SQLite resolves every view when a column is dropped, and this one is there to fail.
    alter(folder, 'DROP VIEW keyring', [], 0);
    alter(folder, 'ALTER TABLE entry DROP COLUMN fields', [], 0);
    alter(folder, 'ALTER TABLE entry DROP COLUMN packed', [], 0);
    expect(await problemsOf(folder)).toEqual([]);
    const deployment = await openDeployment({ folder });
    await deployment.did('MIRROR_APPEND', 'short-text|c1|question|ada|Is it older?', { presented: {} });
    const { contents } = await deployment.did('SECRET_SCRUB', { secret: 'Paragraph 7 of' });
    await deployment.close();
    expect(contents).toBe(2);
    expect(await problemsOf(folder)).toEqual([]);
    expect(query(folder, 'SELECT count(*) AS n FROM entry WHERE packed IS NOT NULL')[0]?.['n']).toBe(6);
  });

  it.each([
    [
      'body',
      "SELECT id FROM content WHERE field = 'request_sha' AND id > 3000 LIMIT 1",
      "UPDATE content SET body = replace(body, '|', ';') WHERE id = ?",
      'the content of request_sha does not match',
    ],
    [
      'salt',
      "SELECT id FROM content WHERE field = 'content_sha' LIMIT 1",
      'UPDATE content SET salt = randomblob(32) WHERE id = ?',
      'the content of content_sha does not match',
    ],
    [
      'text of a DIV',
      "SELECT id FROM content WHERE field = 'text_sha' LIMIT 1",
      "UPDATE content SET body = body || '.' WHERE id = ?",
      'the content of text_sha does not match',
    ],
    [
      'field',
      "SELECT id FROM content WHERE field = 'said_sha' LIMIT 1",
      "UPDATE content SET field = 'sald_sha' WHERE id = ?",
      'the content of said_sha is missing',
    ],
    [
      'row, deleted',
      "SELECT id FROM content WHERE field = 'response_sha' LIMIT 1",
      'DELETE FROM content WHERE id = ?',
      'the content of response_sha is missing',
    ],
    [
      'body, taken away without its salt',
      "SELECT id FROM content WHERE field = 'response_sha' LIMIT 1",
      'UPDATE content SET body = NULL WHERE id = ?',
      'the content of response_sha is gone but its salt is still there',
    ],
    [
      'salt, put before the body: together they still hash to the commitment',
      "SELECT id FROM content WHERE field = 'request_sha' LIMIT 1",
      'UPDATE content SET body = CAST(salt || body AS TEXT), salt = NULL WHERE id = ?',
      'the content of request_sha does not match',
    ],
    [
      'salt, put before a long body',
      "SELECT id FROM content WHERE field = 'response_sha' AND length(body) > 2000 LIMIT 1",
      'UPDATE content SET body = CAST(salt || body AS TEXT), salt = NULL WHERE id = ?',
      'the content of response_sha does not match',
    ],
    [
      'first bytes, called a salt: together they still hash to the commitment',
      "SELECT id FROM content WHERE field = 'text_sha' AND length(body) > 33 LIMIT 1",
      'UPDATE content SET salt = CAST(substr(body, 1, 32) AS BLOB), body = substr(body, 33) WHERE id = ?',
      'the content of text_sha does not match',
    ],
    [
      'long body, at its very end',
      "SELECT id FROM content WHERE field = 'response_sha' AND length(body) > 2000 LIMIT 1",
      "UPDATE content SET body = body || ' ' WHERE id = ?",
      'the content of response_sha does not match',
    ],
    [
      'row, moved to the next entry',
      "SELECT id FROM content WHERE field = 'text_sha' LIMIT 1",
      'UPDATE content SET id = id + 12 WHERE id = ?',
      'the content of text_sha is missing',
    ],
  ])('is named by its entry for its %s', async (_what, find, sql, reason) => {
    const id = query(older, find)[0]?.['id'] as number;
    const folder = ledger.copy(older);
    alter(folder, sql, [id]);
    await expectProblem(folder, new RegExp(`^entry ${Math.floor(id / 8)}: \\S+: (?:${reason})`, 'm'));
  });

  it('is named when it was swapped between two entries', async () => {
    const [one, two] = query(older, "SELECT id, body FROM content WHERE field = 'text_sha' LIMIT 2") as {
      id: number;
      body: string;
    }[];
    const folder = ledger.copy(older);
    alter(
      folder,
      'UPDATE content SET body = CASE id WHEN ? THEN ? ELSE ? END WHERE id IN (?, ?)',
      [one?.id as number, two?.body as string, one?.body as string, one?.id as number, two?.id as number],
      2,
    );
    const problems = (await problemsOf(folder)).join('\n');
    expect(problems).toMatch(new RegExp(`^entry ${(one?.id as number) >> 3}: `, 'm'));
    expect(problems).toMatch(new RegExp(`^entry ${(two?.id as number) >> 3}: `, 'm'));
  });

  it('is named when it belongs to no entry, before, between and after the others', async () => {
    for (const id of [-5, size() * 8 + 3]) {
      const folder = ledger.copy(older);
      alter(folder, "INSERT INTO content (id, field, salt, body) VALUES (?, 'content_sha', NULL, 'x')", [id]);
      await expectProblem(folder, new RegExp(`content row ${id} belongs to no entry`));
    }
    const folder = ledger.copy(older);
    alter(folder, "INSERT INTO content (id, field, salt, body) VALUES (?, 'content_sha', NULL, 'x')", [
      10 * 8 + 7,
    ]);
    await expectProblem(folder, /^entry 10: \S+: /m);
  });
});

describe('added or removed entries', () => {
  it('are refused at the start when the last one is missing, since the checkpoint covers it', async () => {
    const folder = ledger.copy();
    const last = size() - 1;
    alter(folder, 'DELETE FROM entry WHERE seq = ?', [last]);
    await expectProblem(
      folder,
      new RegExp(`covers ${last + 1} entries; the ledger has ${last}: entries are missing at its end`),
    );
    await expectRefused(
      folder,
      new RegExp(`The ledger has ${last} entries; the checkpoint kept apart from it has seen ${last + 1}`),
    );
  });

  it('are detected when the last one and the separate checkpoint are missing', async () => {
    const folder = ledger.copy();
    unlinkSync(join(folder, 'checkpoint'));
    alter(folder, 'DELETE FROM entry WHERE seq = ?', [size() - 1]);
    await expectProblem(folder, /the checkpoint stored in the ledger covers \d+ entries/);
    await expectRefused(folder, /the checkpoint stored with it has seen \d+/);
  });

  it('are named when one in the middle is missing', async () => {
    const folder = ledger.copy();
    alter(folder, 'DELETE FROM entry WHERE seq = 321');
    await expectProblem(folder, /^entry 321: the log has no entry 321/m);
  });

  it('are named when an unsigned entry was chained correctly after the last one', async () => {
    const [before] = entries("chain LIKE '%.mirror' ORDER BY n DESC LIMIT 1");
    const { n, chain, text: known } = before as EntryRow;
    const { content_sha: _content, inv: _inv, ...rest } = JSON.parse(known) as JsonObject;
    const text = canonicalJson({ ...rest, n: n + 1, prev: Buffer.from(leafHash(known)).toString('hex') });
    const folder = ledger.copy();
    alter(folder, 'INSERT INTO entry (seq, act, chain, n, text, leaf) VALUES (?, ?, ?, ?, ?, ?)', [
      size(),
      size(),
      chain,
      n + 1,
      text,
      leafHash(text),
    ]);
    await expectProblem(
      folder,
      new RegExp(
        `covers ${size()} entries; the ledger has ${size() + 1}: entries were added that no checkpoint covers`,
      ),
    );
    await expectProblem(folder, /another|no checkpoint covers/);
  });

  it('are named when one outside the log would be found by readers of its chain', async () => {
    const folder = ledger.copy();
    alter(folder, "INSERT INTO entry (seq, act, chain, n, text) VALUES (-1, -1, 'art_x.mirror', 0, '{}')");
    await expectProblem(folder, /entry -1 is stored outside the log/);
  });
});

describe('altered tiles, checkpoints and keys', () => {
  it('are named by tile and entry for one byte of a tile', async () => {
    const bytes = Buffer.from(
      query(ledger.folder, 'SELECT bytes FROM tile WHERE n = 1')[0]?.['bytes'] as Uint8Array,
    );
    bytes[32 * 44 + 9] = (bytes[32 * 44 + 9] as number) ^ 1;
    const folder = ledger.copy();
    alter(folder, 'UPDATE tile SET bytes = ? WHERE n = 1', [bytes]);
    await expectProblem(folder, /^entry 300: its hash is not the one in tile 0\/1$/m);
  });

  it('are named for a missing tile and an extra one', async () => {
    const without = ledger.copy();
    alter(without, 'DELETE FROM tile WHERE n = 0');
    await expectProblem(without, /tile 0\/0 is missing/);
    const more = ledger.copy();
    alter(more, 'INSERT INTO tile (level, n, bytes) VALUES (0, 2, ?)', [new Uint8Array(8192)]);
    await expectProblem(more, /tile 0\/2 is stored, and the log has no such tile/);
  });

  it('are named for one byte of the stored checkpoint', async () => {
    const folder = ledger.copy();
    alter(folder, "UPDATE meta SET value = replace(value, '\n' || ?, '\n' || ?) WHERE name = 'checkpoint'", [
      `${size()}\n`,
      `${size() - 1}\n`,
    ]);
    await expectProblem(
      folder,
      /the checkpoint stored in the ledger does not verify: the signature of .+ is wrong/,
    );
    const gone = ledger.copy();
    alter(gone, "DELETE FROM meta WHERE name = 'checkpoint'");
    await expectProblem(gone, /the checkpoint stored in the ledger does not verify/);
  });

  it('are named for one byte of the separate checkpoint', async () => {
    const folder = ledger.copy();
    const path = join(folder, 'checkpoint');
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(/\n(\d)/, (_all, digit: string) => `\n${(Number(digit) + 1) % 10}`),
    );
    await expectProblem(folder, /the checkpoint kept apart does not verify/);
  });

  it('are named for a keyring row, which no entry covers', async () => {
    const folder = ledger.copy();
    alter(folder, "UPDATE ledger_keyring SET value = 'another' WHERE name = 'terminal_key_sha256'");
    await expectProblem(folder, /keyring row terminal_key_sha256 does not hold what was stored in it/);
  });

  it('are named for a wrong deployment secret, and a missing one is not replaced by a new one', async () => {
    const folder = ledger.copy();
    const path = join(folder, 'secret.key');
    const secret = readFileSync(path, 'utf8');
    writeFileSync(path, `${secret.startsWith('0') ? '1' : '0'}${secret.slice(1)}`);
    await expectProblem(folder, /does not verify: no known key has signed the note/);
    unlinkSync(path);
    await expect(problemsOf(folder)).rejects.toThrow(/secret\.key is missing/);
    expect(existsSync(path)).toBe(false);
    writeFileSync(path, '');
    await expect(compose(readConfig({ COLOPHON_DATA: folder }))).rejects.toThrow(/holds no secret/);
  });
});

describe('the comparison of projections with their replay', () => {
  it('names a changed value of any column, a missing row and an extra row, in every table with rows', async () => {
    const standing = schema.tables.flatMap((table) => {
      const [row] = query(ledger.folder, `SELECT * FROM "${table.name}" LIMIT 1`);
      if (row === undefined) return [];
      const where = table.keyNames.map((name) => `"${name}" = ?`).join(' AND ');
      return [{ table, where, key: table.keyNames.map((name) => row[name] as string | number) }];
    });
    expect(standing.length).toBeGreaterThan(15);
    // One replay judges a change in each of the tables.
    const columns = Math.max(...standing.map(({ table }) => table.names.length));
    for (let i = 0; i < columns; i++) {
      const folder = ledger.copy();
      const changed = standing.filter(({ table }) => table.names[i] !== undefined);
      for (const { table, where, key } of changed) {
        const name = table.names[i] as string;
        const { type } = columnOf(table, name);
        const value = type === 'json' ? '{"another":1}' : type === 'text' ? 'another' : 4711;
        alter(folder, `UPDATE "${table.name}" SET "${name}" = ? WHERE ${where}`, [value, ...key]);
      }
      const said = (await problemsOf(folder)).join('\n');
      for (const { table } of changed)
        expect(`column ${i} of ${table.name}: ${said}`).toContain(`projection ${table.name}, row `);
    }
    const without = ledger.copy();
    for (const { table, where, key } of standing)
      alter(without, `DELETE FROM "${table.name}" WHERE ${where}`, key);
    const missing = await problemsOf(without);
    for (const { table, key } of standing)
      expect(missing).toContain(`projection ${table.name}, row ${key.join(' / ')}: missing`);
  });
});

describe('a damaged database file', () => {
  it('is reported when truncated in the middle, at the end or to zero, or without its first page', async () => {
    const path = (folder: string): string => join(folder, databaseName);
    const bytes = statSync(path(ledger.folder)).size;
    for (const length of [Math.floor(bytes / 2), bytes - 1, bytes - 4096, 4096, 100]) {
      const folder = ledger.copy();
      truncateSync(path(folder), length);
      expect(await problemsOf(folder)).not.toEqual([]);
    }
    const empty = ledger.copy();
    truncateSync(path(empty), 0);
    await expectProblem(empty, /entries cannot be read|covers \d+ entries; the ledger has 0/);
    const garbled = ledger.copy();
    const file = openSync(path(garbled), 'r+');
    writeSync(file, Buffer.alloc(4096, 0x41), 0, 4096, 0);
    closeSync(file);
    await expectProblem(garbled, /the database file is damaged: file is not a database/);
  });
});
