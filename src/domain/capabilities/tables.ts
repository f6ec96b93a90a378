/** Capabilities, idempotency records and invocation lists, as projections of their chains (contract §3, §4). */
import { integer, json, nullable, table, text, type RowOf } from '../../engine/tables.ts';
import type { Role } from '../../model/vocabulary.ts';
import type { Head } from '../../ledger/entry.ts';

export type CapabilityScope = 'row' | 'rows' | 'pfx' | 'act' | 'read';

/** Rows that a credential covers, for one article or for all. A type, as below. */
export type Grant = {
  readonly scope: CapabilityScope;
  readonly keys: readonly string[];
  readonly article: string | null;
};

/** What is granted. A type and not an interface, so that it counts as JSON. */
export type CapabilityGrant = {
  readonly tenant: string;
  readonly origin: 'owner' | 'self';
  readonly scope: CapabilityScope;
  readonly keys: readonly string[];
  readonly article: string | null;
  readonly ttl: number;
  readonly expires_at: string;
  /** 0 means unlimited. */
  readonly max_uses: number;
  readonly purpose: string;
  readonly risk_ceiling: 'low' | 'high';
  readonly owner_gate: boolean;
  readonly body_fixed: string | null;
  readonly max_body_bytes: number | null;
  readonly parent: string | null;
  readonly depth: number;
  readonly issuer: string;
  readonly actor: string | null;
  readonly minted_at: string;
  readonly contract_hash: string | null;
  /** An invitation: whoever holds it enters the workspace in this role. */
  readonly role?: Role;
  /** A lease cut it: the assignment that it and every cut from it is bound to. */
  readonly assignment?: string;
};

/** What was granted, and to which token; never changes. */
export type CapabilityRecord = CapabilityGrant & {
  readonly fingerprint: string;
  /** API keys only: what they are, the SHA-256 of the key, and each of their scopes. */
  readonly kind?: 'key';
  readonly digest?: string;
  readonly grants?: readonly Grant[];
};

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

/** Invocations that are under way or wait for approval: somebody must close them. */
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
  openInvocationTable,
];
export type CapabilityRow = RowOf<typeof capabilityTable>;
