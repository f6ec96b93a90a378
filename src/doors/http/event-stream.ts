/**
 * One stream of Server-Sent Events (WHATWG HTML §9.2) with backpressure: a client that leaves a block unread for
 * too long gets the place to resume from and is disconnected.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

export interface StreamTimes {
  /** Between comments that keep an idle connection open through proxies. */
  readonly heartbeatMs: number;
  /** How long a block may wait until the client reads. */
  readonly patienceMs: number;
  /** How long the last block may take to be sent. */
  readonly farewellMs: number;
}

export const streamTimes: StreamTimes = { heartbeatMs: 15_000, patienceMs: 30_000, farewellMs: 2_000 };

/** Reconnection time of clients. */
const retryMs = 3_000;

export class EventStream {
  readonly #raw: ServerResponse;
  readonly #times: StreamTimes;
  readonly #closed = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;
  /** The index of the last event sent, and of the last entry read from the log. */
  #lastSent: number;
  #lastRead: number;

  /** Send headers first; `after` is the log index after which the stream begins. */
  constructor(raw: ServerResponse, after: number, times: StreamTimes = streamTimes) {
    this.#raw = raw;
    this.#times = times;
    this.#lastSent = after;
    this.#lastRead = after;
    raw.socket?.setKeepAlive(true, 60_000);
    // The id lets a client that is cut off before its first event resume.
    raw.write(`: entries of the log from here on\nretry: ${retryMs}\nid: ${after}\n\n`);
    this.#heartbeat = setInterval(() => this.#beat(), times.heartbeatMs);
    raw.once('close', () => {
      clearInterval(this.#heartbeat);
      this.#closed.abort();
    });
  }

  /** Aborts when either side closes the connection. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Resolves when more can be sent; false if the client does not read or is gone. */
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

  /** Sends the reason and where to resume, then closes. */
  end(reason: string, fix: string): void {
    clearInterval(this.#heartbeat);
    if (this.#raw.destroyed) return;
    const data = JSON.stringify({ reason, resume_after: this.#lastRead, fix });
    this.#raw.end(`id: ${this.#lastRead}\nevent: end\ndata: ${data}\n\n`);
    const cut = setTimeout(() => this.#raw.destroy(), this.#times.farewellMs);
    this.#raw.once('close', () => clearTimeout(cut));
  }

  /** Writes nothing while the client does not read. Without new events, the id advances. */
  #beat(): void {
    if (this.#raw.destroyed || this.#raw.writableNeedDrain) return;
    this.#raw.write(this.#lastRead === this.#lastSent ? ':\n\n' : `:\nid: ${this.#lastRead}\n\n`);
    this.#lastSent = this.#lastRead;
  }
}
