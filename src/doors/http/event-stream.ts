/**
 * One stream of Server-Sent Events (WHATWG HTML §9.2). It writes as fast as the client reads and holds nothing
 * back for it: who leaves a block unread for too long is told from where to resume, and let go.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

export interface StreamTimes {
  /** Between comments that keep a quiet connection open through whatever lies between. */
  readonly heartbeatMs: number;
  /** How long a block may wait for the client to make room. */
  readonly patienceMs: number;
  /** How long the last block may take to leave. */
  readonly farewellMs: number;
}

export const streamTimes: StreamTimes = { heartbeatMs: 15_000, patienceMs: 30_000, farewellMs: 2_000 };

/** When a client that lost the connection asks again. */
const retryMs = 3_000;

export class EventStream {
  readonly #raw: ServerResponse;
  readonly #times: StreamTimes;
  readonly #closed = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;
  /** The last index that the client was told of, and the last that the stream has come to. */
  #lastSent: number;
  #lastRead: number;

  /** Headers are sent before; `after` is the place in the log that the stream begins behind. */
  constructor(raw: ServerResponse, after: number, times: StreamTimes = streamTimes) {
    this.#raw = raw;
    this.#times = times;
    this.#lastSent = after;
    this.#lastRead = after;
    raw.socket?.setKeepAlive(true, 60_000);
    // With the id even a client that is cut off before its first event knows where it stood.
    raw.write(`: entries of the log from here on\nretry: ${retryMs}\nid: ${after}\n\n`);
    this.#heartbeat = setInterval(() => this.#beat(), times.heartbeatMs);
    raw.once('close', () => {
      clearInterval(this.#heartbeat);
      this.#closed.abort();
    });
  }

  /** Aborts when the connection has ended, from whichever side. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Resolves when there is room for more; false where the client has not made any, or is gone. */
  async send(
    events: readonly { readonly index: number; readonly name: string | undefined; readonly data: string }[],
    lastRead: number,
  ): Promise<boolean> {
    this.#lastRead = lastRead;
    const last = events.at(-1)?.index;
    if (last === undefined) return !this.#raw.destroyed;
    this.#lastSent = last;
    const text = events.map(({ index, name, data }) => {
      const event = name === undefined ? '' : `event: ${name}\n`;
      return `id: ${index}\n${event}data: ${data}\n\n`;
    });
    if (this.#raw.destroyed) return false;
    if (this.#raw.write(text.join(''))) return true;
    const patience = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(this.#times.patienceMs)]);
    return once(this.#raw, 'drain', { signal: patience }).then(
      () => true,
      () => false,
    );
  }

  /** Says why, and from where to go on. */
  end(reason: string, fix: string): void {
    clearInterval(this.#heartbeat);
    if (this.#raw.destroyed) return;
    const data = JSON.stringify({ reason, resume_after: this.#lastRead, fix });
    this.#raw.end(`id: ${this.#lastRead}\nevent: end\ndata: ${data}\n\n`);
    const cut = setTimeout(() => this.#raw.destroy(), this.#times.farewellMs);
    this.#raw.once('close', () => clearTimeout(cut));
  }

  /** A client that does not read is not written to. What it was not told of need not be read again. */
  #beat(): void {
    if (this.#raw.destroyed || this.#raw.writableNeedDrain) return;
    this.#raw.write(this.#lastRead === this.#lastSent ? ':\n\n' : `:\nid: ${this.#lastRead}\n\n`);
    this.#lastSent = this.#lastRead;
  }
}
