/**
 * What an import is written to (contract §8): a deployment behind the desk or behind the command line, as the imports
 * see it, and what an import reports.
 */
import type { Layout } from '../../domain/articles/blocks-change.ts';
import type { JsonObject } from '../../kernel/json.ts';

/** An article as it is here. */
export interface CurrentArticle {
  readonly slug: string;
  readonly title: string;
  readonly status: string;
  readonly version: number;
  readonly content_hash: string;
  readonly tags: readonly string[];
  readonly extra: JsonObject;
  readonly layout: Layout;
  readonly hashes: ReadonlyMap<string, string>;
  /** How many blocks it has ever had: the next one is called after that. */
  readonly blocksMade: number;
  readonly sources: readonly KnownSource[];
  /** Texts of its active claims. */
  readonly claims: readonly string[];
}

export interface KnownSource {
  readonly id: string;
  readonly url: string;
  readonly quote: string;
}

export interface Refused {
  readonly ok: false;
  readonly message: string;
  readonly fix: string;
  readonly inv?: string | undefined;
  /** What is wrong at which place of the call. */
  readonly violations?: readonly { readonly at: string; readonly message: string }[] | undefined;
}
export type Called = Refused | { readonly ok: true; readonly inv: string; readonly result: JsonObject };

/** What has been said about an article. */
export interface Discussion {
  readonly thread_head: string;
  readonly said: readonly Said[];
}

export interface Said {
  readonly actor: string;
  readonly body: string;
  /** The text that an attestation is about. */
  readonly attested?: string | undefined;
}

/** What an entry of the discussion and a contribution have in common. */
export interface SaidEntry extends Said {
  readonly stance: string;
  readonly target_hash: string | null;
}

export function saidIn(entries: readonly SaidEntry[], contributions: readonly Said[]): readonly Said[] {
  return [
    ...entries.map(({ actor, body, stance, target_hash: hash }) => ({
      actor,
      body,
      ...(stance === 'attestation' && hash !== null ? { attested: hash } : {}),
    })),
    ...contributions.map(({ actor, body }) => ({ actor, body })),
  ];
}

export interface ImportTarget {
  article(slug: string): Promise<CurrentArticle | undefined>;
  discussion(slug: string): Promise<Discussion | undefined>;
  call(key: string, args: JsonObject): Promise<Called>;
  /** Nothing is written; undefined where the call would run. */
  rehearse(key: string, args: JsonObject): Promise<Refused | undefined>;
}

export interface ImportReport {
  readonly lines: readonly ReportLine[];
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
}

export interface ReportLine {
  readonly what: string;
  /** Where it can be seen, below the root of the site; undefined where nothing was written. */
  readonly href?: string | undefined;
  readonly done: string;
  readonly isWritten: boolean;
  readonly receipts: readonly string[];
  readonly problems: readonly string[];
}

export function refusalText({ message, fix }: Pick<Refused, 'message' | 'fix'>): string {
  return `${message} ${fix}`.trim();
}
