/**
 * A pooler of transactions between clients and PostgreSQL, as PgBouncer is with pool_mode=transaction: every connection
 * is authenticated by a session of its own, and from then on each transaction gets the session that was free last.
 */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

interface Session {
  readonly socket: Socket;
  client: Socket | undefined;
}

const readyForQuery = 0x5a;
const idle = 0x49;

export class TransactionPooler {
  readonly #server: Server;
  readonly #free: Session[] = [];
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, port: number) {
    this.#server = server;
    server.on('connection', (client) => this.#join(client, port));
  }

  static async to(port: number): Promise<TransactionPooler> {
    const server = createServer();
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    return new TransactionPooler(server, port);
  }

  url(of: string): string {
    const url = new URL(of);
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((closed) => this.#server.close(closed));
  }

  #join(client: Socket, port: number): void {
    const own: Session = { socket: connect(port, '127.0.0.1'), client };
    let session: Session | undefined = own;
    for (const socket of [client, own.socket]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
    }
    this.#relay(own, () => (session = undefined));
    client.on('data', (bytes: Buffer) => {
      session ??= this.#take(client, () => (session = undefined));
      session?.socket.write(bytes);
    });
  }

  readonly #released = new Map<Session, () => void>();

  #take(client: Socket, released: () => void): Session | undefined {
    const session = this.#free.pop();
    if (session === undefined) return undefined;
    session.client = client;
    this.#released.set(session, released);
    return session;
  }

  /** Whole messages from PostgreSQL go to whoever has the session, which is free again after the last of a transaction. */
  #relay(session: Session, released: () => void): void {
    this.#released.set(session, released);
    let rest = Buffer.alloc(0);
    session.socket.on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= 5 && rest.length >= 1 + rest.readInt32BE(1)) {
        const message = rest.subarray(0, 1 + rest.readInt32BE(1));
        rest = rest.subarray(message.length);
        session.client?.write(message);
        if (message[0] !== readyForQuery || message[5] !== idle) continue;
        session.client = undefined;
        this.#released.get(session)?.();
        this.#free.push(session);
      }
    });
  }
}
