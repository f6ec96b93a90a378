/**
 * PostgreSQL with one behaviour spoiled: a proxy that replaces text in the statements that clients send. It reads the
 * messages of the wire protocol, so that a longer or shorter statement stays whole.
 */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface Alteration {
  readonly pattern: RegExp;
  readonly with: string;
}

const simpleQuery = 0x51;
const parse = 0x50;

export class AlteringProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** What is replaced from now on. */
  alteration: Alteration | undefined;

  private constructor(server: Server, port: number) {
    this.#server = server;
    server.on('connection', (near) => this.#join(near, port));
  }

  static async to(port: number): Promise<AlteringProxy> {
    const server = createServer();
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    return new AlteringProxy(server, port);
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

  #join(near: Socket, port: number): void {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          near.destroy();
          far.destroy();
        });
    }
    let rest = Buffer.alloc(0);
    let hasStarted = false;
    near.on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      for (;;) {
        // The first message has no type before its length.
        const lengthAt = hasStarted ? 1 : 0;
        if (rest.length < lengthAt + 4 || rest.length < lengthAt + rest.readInt32BE(lengthAt)) return;
        const message = rest.subarray(0, lengthAt + rest.readInt32BE(lengthAt));
        rest = rest.subarray(message.length);
        far.write(hasStarted ? this.#altered(message) : message);
        hasStarted = true;
      }
    });
    far.on('data', (bytes: Buffer) => near.write(bytes));
  }

  #altered(message: Buffer): Buffer {
    const type = message[0];
    if (this.alteration === undefined || (type !== simpleQuery && type !== parse)) return message;
    // A Parse message names its statement first; values and their types follow the text.
    const from = type === parse ? message.indexOf(0, 5) + 1 : 5;
    const to = message.indexOf(0, from);
    const text = message.toString('utf8', from, to).replace(this.alteration.pattern, this.alteration.with);
    const altered = Buffer.concat([message.subarray(0, from), Buffer.from(text), message.subarray(to)]);
    altered.writeInt32BE(altered.length - 1, 1);
    return altered;
  }
}
