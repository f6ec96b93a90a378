-- What version 0.1.0 runs when it opens a ledger file, taken from its code.
-- outdated.ts: tables are looked at, and made again where their columns differ.
SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'entry'
-- store.ts: the file is opened.
PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA busy_timeout = 5000;
-- ddl.ts: tables that are missing are made.
CREATE TABLE IF NOT EXISTS entry (
  seq INTEGER PRIMARY KEY, act INTEGER NOT NULL, chain TEXT NOT NULL, n INTEGER NOT NULL, text TEXT NOT NULL, leaf BLOB,
  fields TEXT, packed ANY, UNIQUE (chain, n)
) STRICT;
CREATE TABLE IF NOT EXISTS content (
  id INTEGER PRIMARY KEY, field TEXT NOT NULL, salt BLOB, body TEXT, replacement TEXT, scrubbed_by TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS tile (level INTEGER NOT NULL, n INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (level, n)) STRICT;
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS keyring (name TEXT PRIMARY KEY, value TEXT NOT NULL, sum TEXT) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS held (name TEXT PRIMARY KEY, value TEXT NOT NULL, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
-- ddl.ts: columns that are missing are added.
SELECT 1 FROM pragma_table_info('entry') WHERE name = 'leaf'
-- ddl.ts: columns that are missing are added.
SELECT 1 FROM pragma_table_info('entry') WHERE name = 'fields'
-- ddl.ts: columns that are missing are added.
SELECT 1 FROM pragma_table_info('entry') WHERE name = 'packed'
-- ddl.ts: columns that are missing are added.
SELECT 1 FROM pragma_table_info('keyring') WHERE name = 'sum'
-- ddl.ts: columns that are missing are added.
SELECT 1 FROM pragma_table_info('content') WHERE name = 'replacement'
-- ddl.ts: columns that are missing are added.
SELECT 1 FROM pragma_table_info('content') WHERE name = 'scrubbed_by'
-- ddl.ts: a projection of older versions goes, and an index is made.
DROP TABLE IF EXISTS contribution_once;
CREATE INDEX IF NOT EXISTS content_gone ON content (id) WHERE body IS NULL;
