/** Nodes of one database as processes of their own, which clients find again on their ports when they were killed. */
import { startServer, temporaryFolder, type RunningServer } from '../support/process-server.ts';
import { pause, type Node, type World } from './histories.ts';
import { Client } from './writers.ts';

/** Nodes that share a database share their secret key. */
export const secret = 'a-secret-of-the-nodes-whose-histories-are-recorded';

/** A node that may be killed and started again on its port. */
export class KillableNode implements Node {
  client: Client;
  #server: RunningServer;
  #isEnded = false;
  readonly #start: (port: number, folder: string) => Promise<RunningServer>;

  constructor(server: RunningServer, start: (port: number, folder: string) => Promise<RunningServer>) {
    this.#server = server;
    this.#start = start;
    this.client = new Client(server.base);
  }

  get base(): string {
    return this.#server.base;
  }

  async kill(): Promise<void> {
    await this.#server.kill();
    this.client.close();
    this.client = new Client(this.base);
  }

  async startAgain(): Promise<void> {
    if (this.#isEnded) return;
    this.#server = await this.#start(this.#server.port, this.#server.folder);
    // The test may have ended meanwhile.
    if (this.#isEnded) await this.#server.kill();
  }

  /** Stops the process for a while in the middle of whatever it does. */
  async stall(ms: number): Promise<void> {
    process.kill(this.#server.pid, 'SIGSTOP');
    await pause(ms);
    process.kill(this.#server.pid, 'SIGCONT');
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    this.client.close();
    await this.#server.kill();
  }
}

export async function startNodes(
  url: string,
  terminalKey: string,
  howMany: number,
  command?: string,
): Promise<KillableNode[]> {
  const start = (port?: number, folder = temporaryFolder()): Promise<RunningServer> =>
    startServer({
      folder,
      terminalKey,
      env: { DATABASE_URL: url, COLOPHON_SECRET_KEY: secret },
      ...(port === undefined ? {} : { port }),
      ...(command === undefined ? {} : { command }),
    });
  const nodes: KillableNode[] = [];
  try {
    for (let i = 0; i < howMany; i++) nodes.push(new KillableNode(await start(), start));
  } catch (error) {
    for (const node of nodes) await node.end();
    throw error;
  }
  return nodes;
}

/** Waits for some more answers. Throws where none come. */
export async function answersMore(world: World, more: number): Promise<void> {
  await counted(world, 'answered', more);
}

/** Waits until a node answers that the outcome of a write is unknown: no standby confirms its commit. */
export async function unknownAnswer(world: World): Promise<void> {
  await counted(world, 'failed', 1);
}

async function counted(world: World, name: 'answered' | 'failed', more: number): Promise<void> {
  const { count: seen } = world.history;
  const enough = seen[name] + more;
  for (let tries = 0; seen[name] < enough; tries++) {
    if (tries === 2400 || world.stopped)
      throw new Error(`${enough - seen[name]} of ${more} did not come: ${name}`);
    await pause(25);
  }
}
