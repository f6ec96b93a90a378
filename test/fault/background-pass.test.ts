/**
 * The background pass of a running server (contract §1.8): what is altered behind its back is told to whoever
 * watches the process, counted, and shown to the owner, without anybody asking for an audit.
 */
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { IntegrityPass } from '../../src/app/background/integrity.ts';
import type { Reader } from '../../src/engine/store.ts';
import { FileGuard } from '../../src/store/sqlite/file-guard.ts';
import { hasPostgres, sharedPostgres } from '../support/postgres.ts';
import { startServer, terminalKey, type TestServer } from '../support/server.ts';

const often = { firstAfterMs: 20, pageEveryMs: 1, restMs: 20 };

interface Watched {
  readonly server: TestServer;
  /** What the process was told of. */
  readonly told: string[];
  /** One statement on the stored ledger, past the server. */
  alter(statement: string): Promise<void>;
  end(): Promise<void>;
}

async function watched(
  kind: string,
  env: Readonly<Record<string, string>> = {},
  integrity = often,
): Promise<Watched> {
  const told: string[] = [];
  const onAltered = (finding: string): void => void told.push(finding);
  const postgres = kind === 'PostgreSQL' ? await sharedPostgres() : undefined;
  const url = await postgres?.database();
  const server = await startServer(
    { ...env, ...(url === undefined ? {} : { DATABASE_URL: url }) },
    { onAltered, integrity },
  );
  return {
    server,
    told,
    async alter(statement) {
      if (url === undefined) {
        const db = new DatabaseSync(join(server.deployment.config.dataFolder, 'colophon.db'));
        db.exec(statement);
        db.close();
        return;
      }
      const client = new pg.Client(url);
      await client.connect();
      await client.query(statement);
      await client.end();
    },
    async end() {
      await server.stopAltered();
      await postgres?.stop();
    },
  };
}

/** A pass that began after this was called has come to the end. */
async function wholePass({ deployment }: TestServer): Promise<void> {
  const { integrity } = deployment.service;
  for (let passes = 0, last = integrity.finishedAt; passes < 2;) {
    await new Promise((later) => setTimeout(later, 10));
    if (integrity.finishedAt === last) continue;
    last = integrity.finishedAt;
    passes++;
  }
}

async function auditMetrics(server: TestServer): Promise<string[]> {
  const text = await (await server.fetch('/metrics')).text();
  return text.split('\n').filter((line) => /^colophon_ledger_audit_(?:entries|findings) /.test(line));
}

/** Where a store keeps the text of a DIV. */
function rewording(kind: string, from: string, to: string): string {
  const [table, column] = kind === 'SQLite' ? ['entry', 'packed'] : ['content', 'body'];
  return `UPDATE ${table} SET ${column} = '${to}' WHERE ${column} = '${from}'`;
}

describe.each(hasPostgres ? ['SQLite', 'PostgreSQL'] : ['SQLite'])(
  'the background verification on %s',
  (kind) => {
    it('finds nothing in a sound ledger, and names an entry whose content was altered', async () => {
      const { server, told, alter, end } = await watched(kind);
      try {
        await server.article('# Notes\n\nOne line.\n\nAnother line.\n', { slug: 'notes' });
        const calls = Array.from({ length: 300 }, (_, i) => ({
          key: 'MIRROR_FEED',
          body: `notes|${1 + (i % 20)}`,
        }));
        await Promise.all(calls.map((call) => server.anybody('/api/dispatch', call)));
        await wholePass(server);
        const { size = 0 } = (await server.deployment.service.store.read.checkpoint()) ?? {};
        expect(size).toBeGreaterThan(300);
        // The next pass may have begun.
        await expect
          .poll(() => auditMetrics(server))
          .toEqual([`colophon_ledger_audit_entries ${size}`, 'colophon_ledger_audit_findings 0']);
        await alter(rewording(kind, 'One line.', 'One lime.'));
        await wholePass(server);
        expect(told).toHaveLength(1);
        expect(told[0]).toMatch(
          /^entry \d+: art_[a-z2-7]{16}\.d2#0: the content of text_sha does not match its commitment$/,
        );
        expect((await auditMetrics(server))[1]).toBe('colophon_ledger_audit_findings 1');
        await alter(rewording(kind, 'One lime.', 'One line.'));
        await wholePass(server);
        expect((await auditMetrics(server))[1]).toBe('colophon_ledger_audit_findings 0');
      } finally {
        await end();
      }
    });

    it('continues after entries that are not valid JSON, and checks scrubbed content', async () => {
      const { server, told, alter, end } = await watched(kind);
      try {
        const lines = Array.from({ length: 40 }, (_, i) => `Line ${i} names tangerine-4711.`);
        await server.article(`# Notes\n\n${lines.join('\n\n')}\n`, { slug: 'notes' });
        await server.owner('/api/dispatch', { key: 'SECRET_SCRUB', body: { secret: 'tangerine-4711' } });
        await wholePass(server);
        expect(told).toEqual([]);
        await alter(
          "UPDATE content SET replacement = 'Line 8 names no fruit.' WHERE replacement = 'Line 8 names [redacted:secret].'",
        );
        await alter(
          "UPDATE entry SET text = 'no JSON' WHERE seq = (SELECT min(seq) FROM entry WHERE chain LIKE 'scrub%')",
        );
        await wholePass(server);
        const said = told.join('\n');
        expect(said).toContain('the entry is not canonical JSON');
        expect(said).toMatch(
          /^entry \d+: art_\S+#0: what replaces the content of text_sha is not what a scrub entry of scrub_\S+ commits to$/m,
        );
        expect(said).toMatch(/the first \d+ entries do not have the root that was signed for them/);
      } finally {
        await end();
      }
    });

    it('ends even when entries are written faster than it reads', async () => {
      const { server, told, end } = await watched(kind, {}, { ...often, pageEveryMs: 300 });
      try {
        const paragraphs = 'A line.\n\n'.repeat(600);
        const { integrity } = server.deployment.service;
        const ends = new Set<Date | undefined>([undefined]);
        const giveUp = Date.now() + 25_000;
        // The second end that is seen is that of a pass which began after the first article.
        for (let i = 0; ends.size < 3 && Date.now() < giveUp; i++) {
          await server.article(`# Notes\n\n${paragraphs}`, { slug: `notes-${i}` });
          ends.add(integrity.finishedAt);
        }
        expect([ends.size, told]).toEqual([3, []]);
      } finally {
        await end();
      }
    }, 40_000);

    it('detects an altered last entry by the signed root', async () => {
      const { server, told, alter, end } = await watched(kind);
      try {
        const { invocation } = await server.anybody('/api/dispatch', { key: 'PAPER_STATE' });
        const changed = "replace(text, 'anonymous', 'anonymouz')";
        await alter(`UPDATE entry SET text = ${changed} WHERE chain = '${invocation.id}'`);
        await wholePass(server);
        expect(told.at(-1)).toMatch(/the first \d+ entries do not have the root that was signed for them/);
      } finally {
        await end();
      }
    });
  },
);

describe.each(hasPostgres ? ['SQLite', 'PostgreSQL'] : ['SQLite'])(
  'the background verification of projections on %s',
  (kind) => {
    it('names an altered row, a missing row and an extra row during writes', async () => {
      // As if a bad disk had altered the file: a second process that writes to it would end all writing.
      vi.spyOn(FileGuard.prototype, 'check').mockReturnValue(undefined);
      const { server, told, alter, end } = await watched(kind);
      try {
        await server.article('# Notes\n\nOne line.\n\nAnother line.\n', { slug: 'notes' });
        const writing = new AbortController();
        const writes = (async () => {
          for (let i = 0; !writing.signal.aborted; i++) {
            await server.anybody('/api/dispatch', {
              key: 'MIRROR_APPEND',
              body: `notes||question|ada|Question ${i}?`,
            });
            await new Promise((later) => setTimeout(later, 5));
          }
        })();
        await wholePass(server);
        expect(told).toEqual([]);
        await alter("UPDATE div SET text = 'One lime.' WHERE div_id = 'd2'");
        await alter('DELETE FROM revision WHERE rev = 1');
        const copied = `SELECT 'tenant/STRANGER', seq, inv, status, actor, ts FROM invocation ORDER BY seq LIMIT 1`;
        await alter(`INSERT INTO invocation (object, seq, inv, status, actor, ts) ${copied}`);
        await wholePass(server);
        writing.abort();
        await writes;
        expect([...told].sort()).toEqual([
          expect.stringMatching(
            /^projection div, row art_\w+ \/ d2: text differs from what the ledger gives$/,
          ),
          expect.stringMatching(/^projection invocation, row tenant\/STRANGER \/ \d+: not in the ledger$/),
          expect.stringMatching(/^projection revision, row art_\w+ \/ 1: missing$/),
        ]);
        await expect
          .poll(async () => (await auditMetrics(server))[1])
          .toBe('colophon_ledger_audit_findings 3');
      } finally {
        vi.restoreAllMocks();
        await end();
      }
    }, 90_000);
  },
);

describe('the background verification of an entry whose contents cannot be told apart', () => {
  it('names the entry, continues after it and ends', async () => {
    const { server, told, alter, end } = await watched('SQLite');
    try {
      await server.article('# Notes\n\nOne line.\n\nOne more.\n', { slug: 'notes' });
      const { size } = (await server.deployment.service.store.read.checkpoint()) ?? { size: 0 };
      await alter("UPDATE entry SET fields = 'text_sha=9' WHERE packed = 'One line.'");
      await alter("UPDATE entry SET packed = 'One mole.' WHERE packed = 'One more.'");
      await wholePass(server);
      expect(told).toEqual([
        expect.stringMatching(/^entry \d+: art_[a-z2-7]{16}\.d2#0: its contents cannot be distinguished$/),
        expect.stringMatching(/^entry \d+: art_[a-z2-7]{16}\.d2#0: the content of text_sha is missing$/),
        expect.stringMatching(/^entry \d+: art_[a-z2-7]{16}\.d3#0: the content of text_sha does not match/),
      ]);
      expect(server.deployment.service.integrity.judged).toBe(size);
    } finally {
      await end();
    }
  });
});

describe('the background verification during a store outage', () => {
  it('resumes where it stopped when the store is back', async () => {
    const server = await startServer();
    const asked: number[] = [];
    const troubles: string[] = [];
    const { read } = server.deployment.service.store;
    let away = 2;
    const reader: Reader = Object.assign(Object.create(read) as Reader, {
      checkpoint: () => read.checkpoint(),
      chain: (id: string) => read.chain(id),
      tile: (level: number, n: number, width: number) => read.tile(level, n, width),
      entries: (from: number, limit: number) => {
        asked.push(from);
        if (from > 0 && away-- > 0) throw new Error('the database is away');
        return read.entries(from, limit);
      },
    });
    const pass = new IntegrityPass(reader, {
      onAltered: (finding) => troubles.push(finding),
      onTrouble: (error) => troubles.push((error as Error).message),
      firstAfterMs: 1,
      pageEveryMs: 1,
      retryMs: 1,
    });
    try {
      await server.article(`# Long\n\n${'A line.\n\n'.repeat(600)}`);
      pass.start();
      await expect.poll(() => pass.finishedAt).toBeDefined();
      expect(asked).toEqual([0, 256, 256, 256, 512]);
      expect(troubles).toEqual(['the database is away', 'the database is away']);
      expect([pass.judged, pass.findings]).toEqual([603, []]);
    } finally {
      await pass.stop();
      await server.stop();
    }
  });
});

describe('the result of the background verification', () => {
  it('is shown on every page of the console', async () => {
    const { server, alter, end } = await watched('SQLite');
    try {
      await server.article('# Notes\n\nOne line.\n', { slug: 'notes' });
      const login = await server.fetch('/owner/login', {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: server.base },
        body: new URLSearchParams({ key: terminalKey }).toString(),
      });
      const cookie = String(login.headers.get('set-cookie')).split(';')[0] as string;
      const page = async (): Promise<string> =>
        (await server.fetch('/owner/costs', { headers: { cookie } })).text();
      await wholePass(server);
      expect(await page()).not.toContain('The stored ledger was altered.');
      await alter(rewording('SQLite', 'One line.', 'One lime.'));
      await wholePass(server);
      expect(await page()).toContain('The stored ledger was altered.');
    } finally {
      await end();
    }
  });

  it('is absent when the verification is turned off', async () => {
    const { server, told, alter, end } = await watched('SQLite', { COLOPHON_AUDIT: 'off' });
    try {
      await server.article('# Notes\n\nOne line.\n', { slug: 'notes' });
      await alter(rewording('SQLite', 'One line.', 'One lime.'));
      await new Promise((later) => setTimeout(later, 200));
      expect([server.deployment.service.integrity.judged, told]).toEqual([0, []]);
    } finally {
      await end();
    }
  });
});
