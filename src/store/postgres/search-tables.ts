/**
 * The tables of the shared search index (ADR 13). `search_document` holds the distinct terms of each document with
 * their counts; a GIN index over a tsvector of these terms, made without a dictionary, finds them. Terms carry the
 * number of their workspace. A scrub empties the tables.
 */
export const searchTables = `
CREATE TABLE search_document (
  tenant text COLLATE "C" NOT NULL, at bigint NOT NULL, key text COLLATE "C" NOT NULL UNIQUE, kind text NOT NULL,
  length integer NOT NULL, terms text[] COLLATE "C" NOT NULL, counts integer[] NOT NULL, PRIMARY KEY (tenant, at)
);
-- What waits to be put into the index is read by every search, so that it may not become much.
CREATE INDEX search_document_terms ON search_document USING gin (array_to_tsvector(terms)) WITH (gin_pending_list_limit = 512);
CREATE TABLE search_term (term text COLLATE "C" PRIMARY KEY, documents bigint NOT NULL) WITH (
  fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05
);
CREATE TABLE search_workspace (
  tenant text COLLATE "C" PRIMARY KEY, n integer GENERATED ALWAYS AS IDENTITY, documents bigint NOT NULL DEFAULT 0, length bigint NOT NULL DEFAULT 0
);
CREATE TABLE search_state (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one), version integer NOT NULL DEFAULT 0, size bigint NOT NULL DEFAULT 0,
  head text NOT NULL DEFAULT '', honoured bigint NOT NULL DEFAULT 0
);
INSERT INTO search_state DEFAULT VALUES;
`;

/** Everything forgotten: the files that held it go with the transaction. */
export const forgetSearch = `
TRUNCATE search_document; TRUNCATE search_term; TRUNCATE search_workspace RESTART IDENTITY;
UPDATE search_state SET version = 0, size = 0, head = '', honoured = 0;
`;
