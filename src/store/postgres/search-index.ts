/**
 * The search index that all nodes on one PostgreSQL share (ADR 13): full text over precomputed terms, with the same
 * candidates and counts as the embedded index. A node that follows the log locks the row of the index state from
 * reading the position to committing the new one. So one node indexes at a time; a node that ends or stalls loses the
 * lock with its session, has written nothing, and another continues.
 */
import pg from 'pg';
import {
  candidatesMax,
  termsBeginningMax,
  type Candidate,
  type Candidates,
  type IndexCursor,
  type IndexedDocument,
  type SearchIndex,
  type IndexStep,
  type SearchQuery,
  type TermsQuery,
} from '../../engine/search-index.ts';
import { opaqueId } from '../../kernel/ids.ts';
import { choose, Found, placed, placeSign, termRange, unplaced, type Choice } from '../search-choice.ts';
import {
  clientConfig,
  connect,
  drop,
  sessionSettings,
  Sockets,
  Unreachable,
  untilReached,
  type ConnectionOptions,
} from './connection.ts';
import { Liveness } from './liveness.ts';
import { ReadPool, type RowSource } from './read-pool.ts';
import { dropUnusedSearch, forgetOwnSearch, joinSearch, searchTables } from './search-tables.ts';

const tables = searchTables;

/** Connections that search; a node has them beside those of its store, so that neither keeps the other waiting. */
const searchersMax = 2;
/** How long a search waits for a server that cannot be reached. */
const patienceMs = 2000;
/** A node that holds the state and does nothing loses it. What a crash loses of the index is followed again. */
const followerSettings = `${sessionSettings}; SET synchronous_commit = off; SET idle_in_transaction_session_timeout = '10s'; SET lock_timeout = '10s'`;
/** How often the tables of versions that are gone are looked for. */
const dropEveryMs = 10_000;
/** Where more documents than this may match, walking from the newest one on is quicker than collecting them all. */
const collectedMax = 20_000;

/** What is known of a workspace's documents together, and the number that its terms bear. */
interface Workspace {
  readonly n: number;
  readonly documents: number;
  readonly length: number;
  /** Of the asked terms. */
  readonly frequencies: readonly number[];
}

export function openPostgresSearch(url: string, collected = collectedMax): SearchIndex {
  return new PostgresSearchIndex(
    { url, instance: opaqueId(''), sockets: new Sockets(), join: joinSearch },
    collected,
  );
}

/** The index as a source of rows shows it, to be asked and not written. */
export function searchOver(
  source: RowSource,
  collected = collectedMax,
): Pick<SearchIndex, 'cursor' | 'find' | 'termsBeginning'> {
  return {
    async cursor(): Promise<IndexCursor> {
      const [state] = await source.rows<IndexCursor & pg.QueryResultRow>({
        name: 'search state',
        text: readState,
      });
      return cursorOf(state as IndexCursor);
    },

    async find(wanted: SearchQuery): Promise<Candidates> {
      const [workspace] = await source.rows<Workspace>({
        name: 'search frequencies',
        text: readFrequencies,
        values: [wanted.tenant, wanted.terms],
      });
      if (workspace === undefined)
        return { documents: 0, length: 0, frequencies: wanted.terms.map(() => 0), found: [] };
      const { n, documents, length, frequencies } = workspace;
      const found = new Found();
      for (const choice of choose(wanted.terms, frequencies, documents)) {
        if (found.isFull) break;
        const collect = choice.match === 'any' || choice.share * documents <= collected;
        const [row] = await source.rows<{ readonly found: [string, number, ...number[]][] | null }>(
          findDocuments(choice, collect, n, wanted),
        );
        for (const [key, size, ...counts] of row?.found ?? [])
          found.add({ key, length: size, counts } satisfies Candidate);
      }
      return { documents, length, frequencies, found: found.list };
    },

    async termsBeginning({ tenant, beginning }: TermsQuery): Promise<readonly string[]> {
      const [workspace] = await source.rows<{ readonly n: number }>({
        name: 'search workspace',
        text: `SELECT n FROM ${tables.workspace} WHERE tenant = $1`,
        values: [tenant],
      });
      if (workspace === undefined) return [];
      const terms = await source.rows<{ readonly term: string }>({
        name: 'search terms',
        text: `SELECT term FROM ${tables.term} WHERE term >= $1 AND term < $2 AND documents > 0 ORDER BY term LIMIT ${termsBeginningMax}`,
        values: [...termRange(workspace.n, beginning)],
      });
      return terms.map(({ term }) => unplaced(term));
    },
  };
}

class PostgresSearchIndex implements SearchIndex {
  readonly cursor: SearchIndex['cursor'];
  readonly find: SearchIndex['find'];
  readonly termsBeginning: SearchIndex['termsBeginning'];
  readonly #connection: ConnectionOptions;
  readonly #pool: ReadPool;
  readonly #closing = new AbortController();
  #follower: pg.Client | undefined;
  #dropsAt = 0;

  constructor(connection: ConnectionOptions, collected: number) {
    this.#connection = connection;
    this.#pool = new ReadPool(connection, searchersMax, patienceMs, new Liveness(connection));
    ({
      cursor: this.cursor,
      find: this.find,
      termsBeginning: this.termsBeginning,
    } = searchOver(this.#pool, collected));
  }

  async follow(
    step: (from: IndexCursor) => Promise<IndexStep | undefined>,
  ): Promise<IndexCursor | undefined> {
    const client = (this.#follower ??= await this.#reach());
    try {
      if (performance.now() > this.#dropsAt) {
        this.#dropsAt = performance.now() + dropEveryMs;
        await dropUnusedSearch(client);
      }
      await client.query('BEGIN');
      const advanced = await takeStep(client, step);
      await client.query('COMMIT');
      return advanced;
    } catch (error) {
      // Where not even that is possible the session is gone, and with it the transaction and the row.
      await client.query('ROLLBACK').catch((cause: unknown) => {
        if (this.#follower === client) this.#follower = undefined;
        drop(client);
        throw new Unreachable('PostgreSQL does not answer', { cause });
      });
      throw error;
    }
  }

  #reach(): Promise<pg.Client> {
    return untilReached(
      () =>
        connect(clientConfig(this.#connection, 'search'), async (fresh) => {
          await fresh.query(followerSettings);
          await joinSearch(fresh);
        }),
      performance.now() + patienceMs,
      this.#closing.signal,
    );
  }

  cut(forGood: boolean): void {
    if (forGood) {
      this.#closing.abort();
      this.#pool.giveUp();
    }
    this.#connection.sockets.cut();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#follower !== undefined) drop(this.#follower);
    await this.#pool.close();
    this.#connection.sockets.cut();
  }
}

function cursorOf({ size, head, scrubsApplied }: IndexCursor): IndexCursor {
  return { size, head, scrubsApplied };
}

// Following

const readState = `SELECT size, head, honoured AS "scrubsApplied" FROM ${tables.state}`;

/** Undefined where another node holds the state. */
async function takeStep(
  client: pg.Client,
  step: (from: IndexCursor) => Promise<IndexStep | undefined>,
): Promise<IndexCursor | undefined> {
  const { rows } = await client.query<IndexCursor & pg.QueryResultRow>(`${readState} FOR UPDATE SKIP LOCKED`);
  const [state] = rows;
  if (state === undefined) return undefined;
  const from = cursorOf(state);
  const taken = await step(from);
  if (taken === undefined) return from;
  if ('reset' in taken) {
    await forget(client, taken.scrubsApplied);
    return { size: 0, head: '', scrubsApplied: taken.scrubsApplied };
  }
  await write(client, taken.documents, taken.cursor);
  return taken.cursor;
}

async function forget(client: pg.Client, scrubsApplied: number): Promise<void> {
  await forgetOwnSearch(client);
  await client.query(`UPDATE ${tables.state} SET honoured = $1`, [scrubsApplied]);
}

/** Terms that the removed documents held are counted down; those that nothing holds any more are named. */
const removeDocuments = `
WITH gone AS (DELETE FROM ${tables.document} WHERE key = ANY ($1) RETURNING tenant, terms, length),
  held AS (SELECT term, count(*) AS documents FROM gone, unnest(terms) AS term GROUP BY term),
  less AS (
    UPDATE ${tables.term} t SET documents = t.documents - held.documents FROM held WHERE t.term = held.term
    RETURNING t.term, t.documents),
  counted AS (
    UPDATE ${tables.workspace} w SET documents = w.documents - g.documents, length = w.length - g.length
    FROM (SELECT tenant, count(*) AS documents, sum(length) AS length FROM gone GROUP BY tenant) AS g WHERE g.tenant = w.tenant)
SELECT coalesce(array_agg(term) FILTER (WHERE documents = 0), '{}') AS unheld FROM less`;

const numberWorkspaces = `
WITH new AS (
  INSERT INTO ${tables.workspace} (tenant) SELECT tenant FROM unnest($1::text[]) AS come (tenant)
  WHERE NOT EXISTS (SELECT FROM ${tables.workspace} w WHERE w.tenant = come.tenant) RETURNING tenant, n)
SELECT tenant, n FROM new UNION ALL SELECT tenant, n FROM ${tables.workspace} WHERE tenant = ANY ($1)`;

const addDocuments = `
WITH come AS (
    INSERT INTO ${tables.document} (tenant, at, key, kind, length, terms, counts)
    SELECT tenant, at, key, kind, length, terms, counts
    FROM json_to_recordset($1) AS x(tenant text, at bigint, key text, kind text, length integer, terms text[], counts integer[])
    RETURNING tenant, terms, length),
  more AS (
    INSERT INTO ${tables.term} AS t (term, documents)
    SELECT term, count(*) FROM come, unnest(terms) AS term GROUP BY term
    ON CONFLICT (term) DO UPDATE SET documents = t.documents + excluded.documents),
  counted AS (
    UPDATE ${tables.workspace} w SET documents = w.documents + c.documents, length = w.length + c.length
    FROM (SELECT tenant, count(*) AS documents, sum(length) AS length FROM come GROUP BY tenant) AS c WHERE c.tenant = w.tenant)
UPDATE ${tables.state} SET size = $2, head = $3, honoured = $4`;

async function write(
  client: pg.Client,
  documents: readonly IndexedDocument[],
  { size, head, scrubsApplied }: IndexCursor,
): Promise<void> {
  const keys = documents.map(({ key }) => key);
  const removed = await client.query<{ readonly unheld: string[] }>(removeDocuments, [keys]);
  const come = documents.filter(({ terms }) => terms.length > 0);
  const tenants = [...new Set(come.map(({ tenant }) => tenant))];
  const numbered = await client.query<{ readonly tenant: string; readonly n: number }>(numberWorkspaces, [
    tenants,
  ]);
  const numbers = new Map(numbered.rows.map(({ tenant, n }) => [tenant, n]));
  const added = come.map((document) => rowOf(document, numbers.get(document.tenant) as number));
  await client.query(addDocuments, [JSON.stringify(added), size, head, scrubsApplied]);
  // A word that nothing says any more is no longer kept.
  await client.query(`DELETE FROM ${tables.term} WHERE term = ANY ($1) AND documents = 0`, [
    removed.rows[0]?.unheld,
  ]);
}

function rowOf({ tenant, at, key, kind, terms }: IndexedDocument, workspace: number) {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return {
    tenant,
    at,
    key,
    kind,
    length: terms.length,
    terms: [...counts.keys()].map((term) => placed(workspace, term)),
    counts: [...counts.values()],
  };
}

// Finding

const readFrequencies = `
SELECT n, documents, length, (
  SELECT coalesce(json_agg(coalesce(t.documents, 0) ORDER BY asked.place), '[]')
  FROM unnest($2::text[]) WITH ORDINALITY AS asked (term, place)
  LEFT JOIN ${tables.term} t ON t.term = w.n || '${placeSign}' || asked.term) AS frequencies
FROM ${tables.workspace} w WHERE tenant = $1`;

/** A query of lexemes as they are: a quote or a backslash in one would be doubled, and no term has either. */
function queryOf(terms: readonly string[], match: Choice['match']): string {
  return terms.map((term) => `'${term.replaceAll(/['\\]/g, '$&$&')}'`).join(match === 'any' ? ' | ' : ' & ');
}

/**
 * The newest documents of a workspace, as one JSON text: key, length, and how often each of the asked terms is held.
 * Few are collected by full text, which nothing else in its part of the statement could tempt away from its index,
 * and sorted. Where many may match they are walked in order, and those that hold all terms taken: by a condition
 * that the planner takes for likely, as it is, so that it walks.
 */
function findDocuments(
  { match, terms: chosen }: Choice,
  collect: boolean,
  workspace: number,
  { tenant, kinds, terms }: SearchQuery,
): { readonly text: string; readonly values: unknown[] } {
  const values: unknown[] = [tenant, ...terms.map((term) => placed(workspace, term))];
  const termPosition = (term: string): string => `array_position(terms, $${terms.indexOf(term) + 2})`;
  const ofKinds = kinds === undefined ? '' : ` AND kind = ANY ($${values.push(kinds)})`;
  const lexemes = chosen.map((term) => placed(workspace, term));
  const documents = collect
    ? `WITH matching AS MATERIALIZED (
         SELECT tenant, at, kind FROM ${tables.document}
         WHERE array_to_tsvector(terms) @@ $${values.push(queryOf(lexemes, match))}::tsquery)
       SELECT d.* FROM (
         SELECT at FROM matching WHERE tenant = $1${ofKinds} ORDER BY at DESC LIMIT ${candidatesMax}) AS newest
       JOIN ${tables.document} d ON d.tenant = $1 AND d.at = newest.at`
    : `SELECT * FROM ${tables.document}
       WHERE tenant = $1${ofKinds}${chosen.map((term) => ` AND ${termPosition(term)} IS NOT NULL`).join('')}
       ORDER BY at DESC LIMIT ${candidatesMax}`;
  const counts = terms.map((term) => `, coalesce(counts[${termPosition(term)}], 0)`).join('');
  return {
    text: `SELECT json_agg(json_build_array(key, length${counts}) ORDER BY at DESC) AS found FROM (${documents}) AS chosen`,
    values,
  };
}
