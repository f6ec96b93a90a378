/**
 * A line to PostgreSQL that can be cut. It stands between a store and the server on 127.0.0.1, and breaks
 * connections at the moments that matter: before the server gets a COMMIT, or after it did and before the store
 * hears of it.
 */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** What happens to the next COMMIT that comes by. */
export type Cut = 'none' | 'before-commit' | 'after-commit';

/** The message of the wire protocol, without its leading type and length. */
const commit = Buffer.from('COMMIT\0');
const headerBytes = 5;

export class Proxy {
  readonly #server: Server;
  #port: number;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #refusing = false;
  #silent = false;
  next: Cut = 'none';
  cuts = 0;
  /** Messages that a silent line passed on to nobody. */
  swallowed = 0;
  /** How often each prepared statement was run by way of this proxy. */
  readonly runs = new Map<string, number>();

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.#port = port;
    server.on('connection', (near) => this.#join(near));
  }

  static async to(port: number): Promise<Proxy> {
    const server = createServer();
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    return new Proxy(server, port);
  }

  /** The URL of a database by way of this proxy. */
  url(of: string): string {
    const url = new URL(of);
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  /** Cuts every connection and lets nobody through until `restore`. */
  sever(): void {
    this.#refusing = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  restore(): void {
    this.#refusing = false;
    this.#silent = false;
  }

  /** Cuts every connection, and leads those that come to another server, as a failover does. */
  leadTo(port: number): void {
    this.sever();
    this.#port = port;
    this.restore();
  }

  /** Lets connections stand and passes nothing on, as a network that has gone quiet. */
  silence(): void {
    this.#silent = true;
  }

  async close(): Promise<void> {
    this.sever();
    await new Promise((closed) => this.#server.close(closed));
  }

  /** A Bind message names its statement behind an empty portal name; a number behind the name says which variant. */
  #count(bytes: Buffer): void {
    for (const [, name = ''] of bytes.toString('latin1').matchAll(/B[^]{4}\0([a-z_]+)(?: -?\d+)?\0/g))
      this.runs.set(name, (this.runs.get(name) ?? 0) + 1);
  }

  #join(near: Socket): void {
    if (this.#refusing) {
      near.destroy();
      return;
    }
    const far = connect(this.#port, '127.0.0.1');
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    let deaf = false;
    const cut = (): void => {
      this.#pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.on('error', () => undefined).on('close', cut);
    near.on('data', (bytes: Buffer) => {
      if (this.#silent) {
        this.swallowed++;
        return;
      }
      this.#count(bytes);
      const at = this.next === 'none' ? -1 : bytes.indexOf(commit);
      if (at < 0) {
        far.write(bytes);
        return;
      }
      this.cuts++;
      if (this.next === 'before-commit') {
        // All that came before it arrives, so that the server holds an open transaction when the line goes.
        far.write(bytes.subarray(0, at - headerBytes), () => setTimeout(cut, 20));
      } else {
        deaf = true;
        far.write(bytes, () => setTimeout(cut, 50));
      }
      this.next = 'none';
    });
    far.on('data', (bytes: Buffer) => {
      if (!deaf && !this.#silent) near.write(bytes);
    });
  }
}
