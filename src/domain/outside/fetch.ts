/**
 * What a row may ask of the world outside (contract §3, "Intent before effect"): ports that the application
 * implements behind the egress guard. Nothing here connects to anything.
 */
import type { Fault } from '../../kernel/fault.ts';

export type FetchMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface FetchRequest {
  readonly url: string;
  readonly method?: FetchMethod;
  /** Beside those that the fetcher sets itself; sent to the first host only. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How many redirects are followed; 5 when left out. Only GET and HEAD follow any. */
  readonly redirectsMax?: number;
  /** Bytes of the decoded body; 2 MiB when left out. More is a refusal, never a cut text. */
  readonly bytesMax?: number;
  /** Milliseconds from the first look-up to the last byte; 15,000 when left out. */
  readonly timeoutMs?: number;
  /** Media types that are read, such as `text/`; a body of any other is refused unread. All when left out. */
  readonly types?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface Fetched {
  readonly status: number;
  /** The URL that answered, after redirects. */
  readonly finalUrl: string;
  /** Lower-case names; repeated headers joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** Media type in lower case without parameters; '' where the answer names none. */
  readonly type: string;
  readonly charset: string | undefined;
  readonly bytes: Uint8Array;
}

/** A status of 400 and above is an answer like any other; a Fault says that there was none. */
export type Fetch = (request: FetchRequest) => Promise<Fetched | Fault>;

/** What is wrong with a URL, as far as that can be told without asking anybody. */
export type JudgeUrl = (url: string) => Fault | undefined;

/** A page's readable text, for those who only want to know what it says. */
export type FetchText = (
  url: string,
) => Promise<{ readonly status: number; readonly finalUrl: string; readonly text: string } | Fault>;

/** A page as it is recorded. A type and not an interface, so that it counts as JSON. */
export type Page = {
  readonly final_url: string;
  readonly status: number;
  readonly content_type: string;
  readonly last_modified: string | null;
  /** Bytes of the decoded body, and their SHA-256. */
  readonly bytes: number;
  readonly sha256: string;
  readonly title: string;
  readonly text: string;
  readonly truncated: boolean;
};

/** Fetches a page and reads its text; HEAD leaves the text empty. */
export type ReadPage = (method: 'GET' | 'HEAD', url: string) => Promise<Page | Fault>;
