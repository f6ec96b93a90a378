/** Batches that a node of another version committed, as `projection_due` names them (contract §6, ADR 49). */
import type { ForeignBatch, ScrubbedChains } from '../../engine/batch-io.ts';
import type { StoredContent } from '../../engine/act.ts';
import { eventValues } from './sql.ts';
import { eventFrom, type EventValues } from './state-loader.ts';

export interface DueRow {
  /** The number of its first entry. */
  readonly first: number;
  /** `scrubsJson` of what it took away; null where it scrubbed nothing. */
  readonly scrubs: string | null;
  readonly events: readonly EventValues[];
}

/** Of the set $1, in the order of the log, at most $2. */
export const dueBatches = `SELECT d.first, d.scrubs, (
    SELECT json_agg(json_build_array(${eventValues}) ORDER BY e.seq) FROM entry e
    WHERE e.seq >= d.first AND e.seq < d.first + d.count) AS events
  FROM projection_due d WHERE d.stamp = $1 ORDER BY d.first LIMIT $2`;

export function foreignBatch({ events, scrubs }: DueRow): ForeignBatch {
  return { events: events.map(eventFrom), scrubbed: scrubs === null ? [] : scrubbedFrom(scrubs) };
}

type StoredScrubs = readonly {
  readonly chains: string;
  readonly before: readonly {
    readonly seq: number;
    readonly contents: readonly (Omit<StoredContent, 'salt'> & { readonly salt: string | null })[];
  }[];
}[];

export function scrubsJson(scrubbed: readonly ScrubbedChains[]): string | null {
  if (scrubbed.length === 0) return null;
  const stored: StoredScrubs = scrubbed.map(({ chains, before }) => ({
    chains,
    before: before.map(({ seq, contents }) => ({
      seq,
      contents: contents.map((content) => ({
        ...content,
        salt: content.salt === null ? null : Buffer.from(content.salt).toString('hex'),
      })),
    })),
  }));
  return JSON.stringify(stored);
}

function scrubbedFrom(text: string): ScrubbedChains[] {
  return (JSON.parse(text) as StoredScrubs).map(({ chains, before }) => ({
    chains,
    before: before.map(({ seq, contents }) => ({
      seq,
      contents: contents.map((content) => ({
        ...content,
        salt: content.salt === null ? null : Buffer.from(content.salt, 'hex'),
      })),
    })),
  }));
}
