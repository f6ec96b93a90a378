/** Every built-in row has an output schema (spec §2.6, ADR 37), and its results match it, on both stores. */
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TSchema } from 'typebox';
import { readSchemas } from '../../src/model/index.ts';
import { builtInRows } from '../../src/rows/index.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { callEveryRow, openWalked, type WalkedServer } from './every-row.ts';
import { openLocal, owner, type LocalServer } from './local.ts';

/** A row as it is served is larger than what anybody reads at once beyond this. */
const servedBytesMax = 12_000;

const schemaOf = (key: string): TSchema => builtInRows.find((row) => row.key === key)?.output as TSchema;

function expectFits(key: string, result: unknown): void {
  const validator = Compile(schemaOf(key));
  const wrong = validator.Check(result) ? [] : validator.Errors(result).slice(0, 5);
  expect([key, wrong]).toEqual([key, []]);
}

/** The same schema does not fit any more where a member was renamed or is missing. */
function expectStrict(key: string, result: Record<string, unknown>): void {
  const validator = Compile(schemaOf(key));
  for (const name of Object.keys(result)) {
    const { [name]: value, ...rest } = result;
    expect([key, name, validator.Check({ ...rest, [`${name}_renamed`]: value })]).toEqual([key, name, false]);
  }
}

describe.each(hasPostgres ? ['sqlite', 'postgres'] : ['sqlite'])('the result of a row on %s', (store) => {
  let server: WalkedServer;
  let postgres: TestDatabases | undefined;

  beforeAll(async () => {
    postgres = store === 'postgres' ? await sharedPostgres() : undefined;
    server = await openWalked(await postgres?.database());
  });

  afterAll(async () => {
    await server.end();
    await postgres?.stop();
  });

  it('matches its schema, and no longer matches it once a member is renamed', async () => {
    const keys = new Set<string>();
    await callEveryRow(server, async (key, body) => {
      const reply = await server.call(key, body, {}, owner);
      expect([key, reply.status, reply.status === 200 ? '' : reply.body]).toEqual([key, 200, '']);
      const result = reply.json['result'] as Record<string, unknown>;
      expectFits(key, result);
      expectStrict(key, result);
      if (key === 'ARTICLE_INSPECT') expectPart(result);
      keys.add(key);
      return reply;
    });
    expect([...keys].sort()).toEqual(builtInRows.map((row) => row.key));
  }, 120_000);
});

/** A part is what its own read tells. */
function expectPart(result: Record<string, unknown>): void {
  const name = String(result['part']);
  const { schema } = readSchemas[name] as { schema: TSchema };
  const { properties } = schema as unknown as { properties: Record<string, TSchema> };
  for (const [member, value] of Object.entries(result[name] as object))
    expect([name, member, Compile(properties[member] as TSchema).Check(value)]).toEqual([name, member, true]);
}

describe('an output schema', () => {
  let server: LocalServer;
  beforeAll(async () => void (server = await openLocal()));
  afterAll(() => server.end());

  it('is in the row, at an address of its own and in Markdown; lists link to that address', async () => {
    for (const row of builtInRows) {
      const { body, json } = await server.get({ key: row.key });
      expect([row.key, body.length < servedBytesMax, body.length]).toEqual([row.key, true, body.length]);
      expect(json['output_schema']).toEqual(JSON.parse(JSON.stringify(row.output)));
      const path = String(json['schema']).slice(server.deployment.service.base.length);
      const { json: served } = await server.send({ path });
      expect(served['schema']).toMatchObject({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        ...(json['output_schema'] as object),
      });
      expect(served['contract_hash']).toBe(json['contract_hash']);
    }
    const { body } = await server.get({ key: 'CAP_REVOKE', format: 'markdown' });
    expect(body).toContain('Result: `fingerprint`, `state`, `revoked_at`. Schema: http');
    expect((await server.get({ key: 'OIP_REPAIR', format: 'skill' })).body).toContain('; or `fired`, `ran`');
    const { rows } = (await server.get({ registry: '1' })).json as { rows: Record<string, unknown>[] };
    expect(rows.filter((row) => 'output_schema' in row)).toEqual([]);
    expect(rows[0]?.['schema']).toContain('?schema=ARTICLE_ASK');
  });

  it('is part of the contract: the receipt has the hash of the row with its schema', async () => {
    const { json } = await server.get({ key: 'PAPER_STATE' });
    const called = await server.call('PAPER_STATE', '', {}, owner);
    const { id } = called.json['invocation'] as { id: string };
    expect((await server.get({ confirm: id })).json['contract_hash']).toBe(json['contract_hash']);
  });

  it('is not found under an unknown name, and the known names are listed', async () => {
    const { status, json } = await server.get({ schema: 'NO_SUCH_ROW' });
    expect([status, json['error']]).toEqual([404, 'not_found']);
    expect(json['schemas']).toEqual(expect.arrayContaining(['invocation', 'CLAIM_POST']));
  });
});
