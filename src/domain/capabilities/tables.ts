/** Capabilities, idempotency records and invocation lists, as projections of their chains (contract §3, §4). */
import { integer, json, nullable, table, text, type RowOf } from '../../engine/tables.ts';
import type { Head } from '../../ledger/entry.ts';
import type { StoredCapability } from '../../model/capability.ts';

export type CapabilityScope = StoredCapability['scope'];

/** What was granted, and to which token; never changes. */
export type CapabilityRecord = StoredCapability & {
  /** API keys only: the SHA-256 of the key. */
  readonly digest?: string;
};
/** What is granted. */
export type CapabilityGrant = Omit<CapabilityRecord, 'fingerprint' | 'kind' | 'digest' | 'grants'>;

export const capabilityTable = table('capability', {
  key: { fingerprint: text() },
  columns: {
    record: json<CapabilityRecord>(),
    /** Charged uses; stays 0 where uses are unlimited and never counted. */
    uses: integer(),
    denials: integer(),
    revoked_at: nullable(text()),
    head: json<Head>(),
  },
  aggregate: 'capability',
});

/** The first answer of a repeatable request. */
export const idempotencyTable = table('idempotency', {
  key: { scope: text() },
  columns: { inv: text(), request: text(), ts: text() },
  aggregate: 'idempotency',
  compact: true,
});

/** Invocations of a row in commit order; `object` is `tenant/KEY`. */
export const invocationTable = table('invocation', {
  key: { object: text(), seq: integer() },
  columns: { inv: text(), status: text(), actor: text(), ts: text() },
  compact: true,
});

/** Calls that used tokens or money, by workspace: what they cost, when it was counted. No decision reads it. */
export const spendingTable = table('spending', {
  key: { tenant: text(), seq: integer() },
  columns: {
    key: text(),
    /** Who called. */
    actor: text(),
    ts: text(),
    tokens: integer(),
    wasted: integer(),
    /** Millionths of a dollar; null where no price is known. */
    usd_micros: nullable(integer()),
  },
  compact: true,
});

/** Invocations that run or wait for approval, and must be closed. */
export const openInvocationTable = table('open_invocation', {
  key: { inv: text() },
  columns: {
    tenant: text(),
    key: text(),
    /** Opaque id of the article that it is on. */
    article: nullable(text()),
    seq: integer(),
    status: text(),
    actor: text(),
    ts: text(),
    lease_until: nullable(text()),
    head: json<Head>(),
  },
  aggregate: 'open_invocation',
  compact: true,
});

/** Calls of a gated share that wait for the owner. */
export const proposalTable = table('proposal', {
  key: { fingerprint: text(), inv: text() },
  columns: { key: text(), ts: text() },
  aggregate: 'capability',
  compact: true,
});

export const capabilityTables = [
  capabilityTable,
  proposalTable,
  idempotencyTable,
  invocationTable,
  spendingTable,
  openInvocationTable,
];
export type CapabilityRow = RowOf<typeof capabilityTable>;
