/**
 * Two deployments that witness each other, and two further witnesses in the policy of the first: one that can be told how
 * to behave, and one that nobody answers for. Keys follow from the secret of the tests and the ports, so that both are
 * configured before either starts.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deriveCosigners } from '../../src/app/credentials/secrets.ts';
import { logSigner } from '../../src/deployment/start-keys.ts';
import { cosignerFromSeed } from '../../src/ledger/cosignature.ts';
import { freePort, secretKey, startServer, type TestServer } from './server.ts';

export interface WitnessedServers {
  /** Demands two of: `b` and `bq` (the keys of the second), `c` (told how to behave), `gone` (never answers). */
  readonly first: TestServer;
  readonly second: TestServer;
  readonly policy: string;
  /** How `c` answers: with a cosignature, or with a status and a text. */
  answerOfC: 'cosign' | { readonly status: number; readonly text: string };
  /** Until so many witnesses have cosigned all of the log, that of the first without another. */
  untilCosignedBy(count: number, server?: TestServer): Promise<void>;
  stopSecond(): Promise<void>;
  stop(): Promise<void>;
}

export async function startWitnessedServers(): Promise<WitnessedServers> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-witnessed-'));
  const [portA, portB, portGone] = await threePorts();
  const [a, b] = [`127.0.0.1:${portA}`, `127.0.0.1:${portB}`];
  const keyOf = (origin: string): string => logSigner(secretKey, origin, undefined).key.text;
  const lines = (origin: string): [string, string] =>
    deriveCosigners(secretKey, `${origin}/witness`).map(({ key }) => key.text) as [string, string];
  const cosigner = cosignerFromSeed('c.example', 'ed25519', Buffer.alloc(32, 3));
  const gone = cosignerFromSeed('gone.example', 'ed25519', Buffer.alloc(32, 4));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const servers = { answerOfC: 'cosign' } as { answerOfC: WitnessedServers['answerOfC'] };
  const c = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const { answerOfC: answer } = servers;
      if (answer !== 'cosign') return response.writeHead(answer.status).end(answer.text);
      const text = body.slice(body.indexOf('\n\n') + 2).split('\n\n')[0];
      return response.end(String(cosigner.cosign(`${text}\n`, Math.floor(Date.now() / 1000))));
    });
  });
  const portC = await listening(c);
  const [ofB, ofBq] = lines(b);
  const [ofA] = lines(a);
  const policy = [
    `log ${keyOf(a)}`,
    `witness b ${ofB} http://${b}/witness`,
    `witness bq ${ofBq} http://${b}/witness`,
    `witness c ${cosigner.key.text} http://127.0.0.1:${portC}`,
    `witness gone ${gone.key.text} http://127.0.0.1:${portGone}`,
    'group two 2 b bq c gone',
    'quorum two\n',
  ].join('\n');
  const second = await startServer({
    PORT: String(portB),
    COLOPHON_WITNESS_LOGS: file('b.logs', `${keyOf(a)}\n`),
    COLOPHON_POLICY: file('b.policy', `log ${keyOf(b)}\nwitness a ${ofA} http://${a}/witness\nquorum a\n`),
  });
  const first = await startServer({
    PORT: String(portA),
    COLOPHON_WITNESS_LOGS: file('a.logs', `${keyOf(b)}\n`),
    COLOPHON_POLICY: file('a.policy', policy),
  });
  let isSecondUp = true;
  const stopSecond = async (): Promise<void> => {
    if (isSecondUp) await second.stop();
    isSecondUp = false;
  };
  return Object.assign(servers, {
    first,
    second,
    policy,
    async untilCosignedBy(count: number, { deployment: { service } }: TestServer = first) {
      const isSeen = async (): Promise<boolean> => {
        const newest = service.cosigning?.newest;
        const size = (await service.store.read.checkpoint())?.size;
        return newest !== undefined && newest.size === size && newest.cosigned.length >= count;
      };
      while (!(await isSeen())) await new Promise((resolve) => setTimeout(resolve, 50));
    },
    stopSecond,
    async stop() {
      await stopSecond();
      await first.stop();
      await new Promise((closed) => c.close(closed));
      rmSync(folder, { recursive: true });
    },
  });
}

async function threePorts(): Promise<readonly [number, number, number]> {
  const ports = new Set<number>();
  while (ports.size < 3) ports.add(await freePort());
  return [...ports] as unknown as [number, number, number];
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
