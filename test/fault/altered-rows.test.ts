/**
 * Projections that somebody altered past the server (contract §1.8): every read that shows such a row says that it
 * differs from the ledger and names it, health and bundle included, on both stores.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Value from 'typebox/value';
import { slugTable } from '../../src/domain/articles/tables.ts';
import { readSchemas, type ReadSchema } from '../../src/model/index.ts';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';
import { hasPostgres, sharedPostgres } from '../support/postgres.ts';

interface Verification {
  readonly valid: boolean;
  readonly reason?: string;
  readonly altered?: readonly string[];
}

const terminalKey = 'tk_only-for-tests-0123456789';

/** The reads that show a row of each table, what is altered in it, and how the answers name it. */
const alterations: readonly [
  what: string,
  alter: string,
  restore: string,
  named: RegExp,
  parts: readonly string[],
][] = [
  [
    'the text of a DIV',
    "UPDATE div SET text = 'The moon pushes.' WHERE div_id = 'd2'",
    "UPDATE div SET text = 'The moon pulls.' WHERE div_id = 'd2'",
    /^projection div, row art_\w+ \/ d2: text differs from what the ledger gives$/,
    ['', 'voxels', 'bundle', 'masthead', 'discourse', 'ledger'],
  ],
  [
    'the blank lines behind a DIV',
    "UPDATE div SET sep = '\n' WHERE div_id = 'd2'",
    "UPDATE div SET sep = '\n\n' WHERE div_id = 'd2'",
    /^projection div, row art_\w+ \/ d2: sep differs from what the ledger gives$/,
    ['', 'voxels', 'bundle'],
  ],
  [
    'the place of a DIV',
    "UPDATE div SET pos = pos + 5 WHERE div_id = 'd2'",
    "UPDATE div SET pos = pos - 5 WHERE div_id = 'd2'",
    /^projection div, row art_\w+ \/ d2: pos differs from what the ledger gives$/,
    ['', 'voxels', 'bundle'],
  ],
  [
    'the text of a claim',
    "UPDATE claim SET claim = replace(claim, 'raises two tides', 'raises six tides')",
    "UPDATE claim SET claim = replace(claim, 'raises six tides', 'raises two tides')",
    /^projection claim, row art_\w+ \/ c1: claim\.text differs from what the ledger gives$/,
    ['', 'claims', 'bundle', 'masthead', 'topology'],
  ],
  [
    'the tier of a claim',
    `UPDATE claim SET claim = replace(claim, '"tier":"mechanistic"', '"tier":"human"')`,
    `UPDATE claim SET claim = replace(claim, '"tier":"human"', '"tier":"mechanistic"')`,
    /^projection claim, row art_\w+ \/ c1: claim\.tier differs from what the ledger gives$/,
    ['', 'claims', 'bundle'],
  ],
  [
    'the status of a claim',
    `UPDATE claim SET claim = replace(claim, '"status":"active"', '"status":"retracted"')`,
    `UPDATE claim SET claim = replace(claim, '"status":"retracted"', '"status":"active"')`,
    /^projection claim, row art_\w+ \/ c1: claim\.status differs from what the ledger gives$/,
    ['', 'claims', 'bundle', 'masthead'],
  ],
  [
    'the quote of a source',
    "UPDATE source SET source = replace(source, 'pulls the sea', 'pushes the sea')",
    "UPDATE source SET source = replace(source, 'pushes the sea', 'pulls the sea')",
    /^projection source, row art_\w+ \/ s1: source\.quote differs from what the ledger gives$/,
    ['', 'sources', 'bundle', 'topology'],
  ],
  [
    'the title',
    "UPDATE article SET title = 'Ebb'",
    "UPDATE article SET title = 'Tides'",
    /^projection article, row art_\w+: title differs from what the ledger gives$/,
    ['', 'masthead', 'bundle', 'provenance', 'voxels'],
  ],
  [
    'the words of a contribution',
    "UPDATE contribution SET contribution = replace(contribution, 'Some coasts', 'All coasts')",
    "UPDATE contribution SET contribution = replace(contribution, 'All coasts', 'Some coasts')",
    /^projection contribution, row art_\w+ \/ 0: contribution\.body differs from what the ledger gives$/,
    ['', 'mirror', 'contributions', 'bundle', 'masthead'],
  ],
  [
    'what became of a contribution',
    "UPDATE resolution SET status = 'rejected'",
    "UPDATE resolution SET status = 'accepted'",
    /^projection resolution, row art_\w+ \/ mc_\w+: status differs from what the ledger gives$/,
    ['', 'mirror', 'contributions', 'bundle', 'claims'],
  ],
  [
    'an objection',
    "UPDATE post SET post = replace(post, 'Not on every', 'On every')",
    "UPDATE post SET post = replace(post, 'On every', 'Not on every')",
    /^projection post, row art_\w+ \/ 0: post\.body differs from what the ledger gives$/,
    ['', 'discourse', 'objections', 'bundle', 'masthead'],
  ],
  [
    'a question',
    "UPDATE question SET node = replace(node, 'Do all coasts', 'Do no coasts')",
    "UPDATE question SET node = replace(node, 'Do no coasts', 'Do all coasts')",
    /^projection question, row art_\w+ \/ qn_\w+: node\.question differs from what the ledger gives$/,
    ['question-graph', 'bundle', 'topology', 'prompts'],
  ],
  [
    'a vote',
    "UPDATE vote SET vote = replace(vote, 'It repeats', 'It never repeats')",
    "UPDATE vote SET vote = replace(vote, 'It never repeats', 'It repeats')",
    /^projection vote, row art_\w+ \/ vote_\w+: vote\.rationale differs from what the ledger gives$/,
    ['votes', 'bundle'],
  ],
  [
    'a revision',
    "UPDATE revision SET actor = 'anonymous' WHERE rev = 1",
    "UPDATE revision SET actor = 'owner' WHERE rev = 1",
    /^projection revision, row art_\w+ \/ 1: actor differs from what the ledger gives$/,
    ['revisions', 'bundle'],
  ],
  [
    'the title in lists',
    "UPDATE article_index SET title = 'Ebb'",
    "UPDATE article_index SET title = 'Tides'",
    /^projection article_index, row main \/ tides: title differs from what the ledger gives$/,
    ['', 'bundle'],
  ],
  [
    'the category in lists by time',
    "UPDATE article_recent SET category = 'sea'",
    'UPDATE article_recent SET category = NULL',
    /^projection article_recent, row main \/ [\d-]+T[\d:.]+Z tides: category differs from what the ledger gives$/,
    ['', 'bundle'],
  ],
  [
    'the count of successes',
    'UPDATE conformance SET successes = successes + 5',
    'UPDATE conformance SET successes = successes - 5',
    /^projection conformance, row art_\w+: successes differs from what the ledger gives$/,
    [''],
  ],
  [
    'the newest success',
    `UPDATE conformance SET newest_success = replace(newest_success, '"status":"success"', '"status":"denied"')`,
    `UPDATE conformance SET newest_success = replace(newest_success, '"status":"denied"', '"status":"success"')`,
    /^projection conformance, row art_\w+: newest_success differs from what the ledger gives$/,
    [''],
  ],
];

describe.each(hasPostgres ? ['SQLite', 'PostgreSQL'] : ['SQLite'])('altered rows on %s', (kind) => {
  let folder: string;
  let postgres: Awaited<ReturnType<typeof sharedPostgres>> | undefined;
  let databaseUrl: string | undefined;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'colophon-test-'));
    postgres = kind === 'PostgreSQL' ? await sharedPostgres() : undefined;
    databaseUrl = await postgres?.database();
    await running(async ({ did }) => {
      const markdown = '# Tides\n\nThe moon pulls.\n\nThe sun too.\n';
      await did('VOXEL_BATCH', { document: { slug: 'tides', title: 'Tides', markdown }, actor: 'a' });
      await did('SOURCE_POST', {
        slug: 'tides',
        sources: [
          {
            type: 'review',
            url: 'https://example.com/x',
            title: 't',
            quote: 'The moon pulls the sea.',
            summary: 's',
          },
        ],
      });
      await did('CLAIM_POST', {
        slug: 'tides',
        text: 'The moon raises two tides a day.',
        tier: 'mechanistic',
        who_claims: 'Newton',
        source_ids: ['s1'],
      });
      const said = await did('MIRROR_APPEND', 'tides|c1|objection|ada|Some coasts have one.');
      const { id } = said['contribution'] as { id: string };
      await did('MIRROR_RESOLVE', `tides|${id}|accepted|True.`);
      await did('OBJECTION_LOG', {
        slug: 'tides',
        objection: 'Not on every coast of the world.',
        actor: 'ada',
      });
      await did('ARTICLE_ASK', { slug: 'tides', question: 'Do all coasts have two tides?' });
      await did('VOXEL_VOTE', {
        slug: 'tides',
        target: 'd3',
        proposal: 'should_burn',
        rationale: 'It repeats what stands before it.',
        actor: 'ada',
      });
    });
  });

  afterAll(async () => {
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A server that nobody has asked anything: all its reads are cold. */
  async function running(use: (deployment: TestDeployment) => Promise<void>): Promise<void> {
    const deployment = await openDeployment({
      folder,
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      env: { COLOPHON_SECRET_KEY: 'secret-key-of-the-tests-0123456789abcdef' },
    });
    try {
      await use(deployment);
    } finally {
      await deployment.close();
    }
  }

  /** One statement on the stored ledger, past the server. */
  async function alter(statement: string): Promise<void> {
    if (databaseUrl === undefined) {
      const db = new DatabaseSync(join(folder, 'colophon.db'));
      expect(db.prepare(statement).run().changes).toBeGreaterThan(0);
      db.close();
      return;
    }
    const client = new pg.Client(databaseUrl);
    await client.connect();
    const { rowCount } = await client.query(
      statement.replace(/\breplace\((\w+), (.+)\)/, 'replace($1::text, $2)::json'),
    );
    expect(rowCount).toBeGreaterThan(0);
    await client.end();
  }

  async function read(deployment: TestDeployment, part: string): Promise<Record<string, unknown>> {
    const url = `/api/articles/tides${part === '' ? '' : `/${part}`}`;
    const response = await deployment.http().inject({ url, headers: { 'x-terminal-key': terminalKey } });
    expect([url, response.statusCode]).toEqual([url, 200]);
    return response.json();
  }

  it('are never reported for a sound store', async () => {
    await running(async (deployment) => {
      for (const part of new Set(alterations.flatMap(([, , , , parts]) => parts))) {
        const { verification } = await read(deployment, part);
        expect([part, (verification as Verification | undefined)?.valid ?? true]).toEqual([part, true]);
      }
      const { checks } = (await read(deployment, 'health')) as { checks: { id: string; ok: boolean }[] };
      expect(checks.find(({ id }) => id === 'chains')?.ok).toBe(true);
    });
  });

  it.each(alterations)('are reported when %s was altered', async (_what, change, restore, named, parts) => {
    await alter(change);
    try {
      await running(async (deployment) => {
        for (const part of parts) {
          const verification = (await read(deployment, part))['verification'] as Verification;
          expect([part, verification]).toEqual([part, expect.objectContaining({ valid: false })]);
          expect(verification.altered?.some((line) => named.test(line))).toBe(true);
        }
        const { score, checks } = (await read(deployment, 'health')) as {
          score: number;
          checks: { id: string; ok: boolean; detail: string }[];
        };
        const check = checks.find(({ id }) => id === 'chains');
        expect([check?.ok, score < 100]).toEqual([false, true]);
        expect(check?.detail).toContain('differs from what the ledger gives');
      });
    } finally {
      await alter(restore);
    }
  });

  it('are reported in lists of invocations', async () => {
    const altered = "UPDATE invocation SET actor = 'anonymous' WHERE object = 'main/CLAIM_POST'";
    const event = "UPDATE conformance_event SET actor = 'anonymous' WHERE key = 'CLAIM_POST'";
    await alter(altered);
    await alter(event);
    try {
      await running(async (deployment) => {
        const url = '/api/invocations?object_id=CLAIM_POST';
        const headers = { 'x-terminal-key': terminalKey };
        const rows = (await deployment.http().inject({ url, headers })).json() as {
          verification: Verification;
        };
        expect(rows.verification.altered).toEqual([
          expect.stringMatching(
            /^projection invocation, row main\/CLAIM_POST \/ \d+: actor differs from what the ledger gives$/,
          ),
        ]);
        expect(Value.Check((readSchemas['calls'] as ReadSchema).schema, rows)).toBe(true);
        const { verification } = await read(deployment, 'invocations');
        expect((verification as Verification).altered).toEqual([
          expect.stringMatching(
            /^projection conformance_event, row art_\w+ success \/ \d+: actor differs from what the ledger gives$/,
          ),
        ]);
      });
    } finally {
      await alter(altered.replace('anonymous', 'owner'));
      await alter(event.replace('anonymous', 'owner'));
    }
    await running(async (deployment) =>
      expect((await read(deployment, 'invocations'))['verification']).toBeUndefined(),
    );
  });

  it('are reported behind a running server by the first read that loads them', async () => {
    await running(async (deployment) => {
      const before = await read(deployment, 'mirror');
      expect(before['verification']).toMatchObject({ valid: true });
      const [, change, restore] = alterations.find(([what]) => what === 'the words of a contribution') ?? [];
      await alter(change as string);
      try {
        expect((await read(deployment, 'contributions'))['verification']).toMatchObject({ valid: false });
      } finally {
        await alter(restore as string);
      }
    });
  });

  it('are reported when a slug points to another article', async () => {
    let aids: string[] = [];
    await running(async (deployment) => {
      await deployment.did('VOXEL_BATCH', { document: { slug: 'ebb', markdown: 'Low.\n' }, actor: 'a' });
      const { read: store } = deployment.service.store;
      const rows = await Promise.all(['main/tides', 'main/ebb'].map((path) => store.row(slugTable, path)));
      aids = rows.map((row) => row?.aid ?? '');
    });
    const lead = (aid: string | undefined) => `UPDATE slug SET aid = '${aid}' WHERE path = 'main/tides'`;
    await alter(lead(aids[1]));
    try {
      await running(async (deployment) => {
        for (const part of ['', 'voxels', 'claims', 'sources', 'masthead', 'bundle', 'revisions']) {
          const verification = (await read(deployment, part))['verification'] as Verification;
          expect([part, verification.altered]).toEqual([
            part,
            expect.arrayContaining([
              'projection slug, row main/tides: aid differs from what the ledger gives',
            ]) as unknown,
          ]);
        }
      });
    } finally {
      await alter(lead(aids[0]));
    }
  });

  it('are reported with the entry when its committed data was altered', async () => {
    const [table, column] = kind === 'SQLite' ? ['entry', 'packed'] : ['content', 'body'];
    const reword = (from: string, to: string): string =>
      `UPDATE ${table} SET ${column} = '${to}' WHERE ${column} = '${from}'`;
    await alter(reword('The sun too.', 'The sun two.'));
    try {
      await running(async (deployment) => {
        const { verification } = await read(deployment, 'voxels');
        expect((verification as Verification).altered?.[0]).toMatch(
          /^art_\w+\.d3#0: the content of text_sha does not match its commitment$/,
        );
      });
    } finally {
      await alter(reword('The sun two.', 'The sun too.'));
    }
  });
});
