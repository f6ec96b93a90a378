/** The directory and its keeping (contract §3): the tree of rows, rows that the owner writes, secrets and their removal. */
import Type from 'typebox';
import { rowKey } from './capability.ts';
import { count, flag, hash, list, oneOf, orNull, shape, text, url } from './parts.ts';
import { protocolName } from './vocabulary.ts';

/** What OIP_TREE answers. */
export const Tree = shape({
  protocol: Type.Literal(protocolName),
  version: text,
  systems: list(
    shape({
      name: text,
      rows: list(
        shape({
          key: rowKey,
          what: text,
          contract: text,
          auth: oneOf(['none', 'share', 'owner']),
          risk: oneOf(['low', 'high']),
          safe: flag,
          read: url,
        }),
      ),
    }),
  ),
});

/** What DIRECTORY_PUT and DIRECTORY_PATCH answer. */
export const RowWritten = shape({
  key: rowKey,
  version: Type.Integer({ minimum: 1 }),
  /** False where the row was so already, and no version was made. */
  changed: flag,
  enabled: flag,
  ledger_enabled: flag,
  authority_required: flag,
  contract_hash: orNull(hash),
  secrets: list(text),
  read: url,
  read_version: url,
});

/** What ROW_SECRET answers. */
export const RowSecretWritten = shape({ key: rowKey, secret: text, action: oneOf(['set', 'forget']) });

const found = list(shape({ path: text, kind: text, count }));
/** What SECRET_SCRUB answers. */
export const Scrubbed = shape({
  scope: text,
  contents: count,
  occurrences: count,
  kinds: Type.Record(Type.String(), count),
  places: list(shape({ chain: text, n: count, field: text, found })),
  more_places: flag,
  unreadable: count,
  unreadable_names: Type.Optional(list(text)),
  blobs: count,
  held: count,
  blobs_removed: Type.Optional(list(hash)),
});
