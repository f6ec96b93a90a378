/**
 * A witness that is killed at random moments, while two histories of one log compete for its cosignature (contract §6):
 * whatever was cosigned before and after any of the kills is one history. What it answered to a forked log, it has
 * evidence of.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parseCosignerKey, verifyCosignatures, type CosignerKey } from '../../src/ledger/cosignature.ts';
import { evidenceId, judgeEvidence, parseEvidence } from '../../src/ledger/fork-evidence.ts';
import { isRefusal } from '../../src/ledger/refusal.ts';
import {
  freePort,
  newOwnerKey,
  removeFolders,
  runCommandBeside,
  startServer,
  temporaryFolder,
  type RunningServer,
} from '../support/process-server.ts';
import { history as leavesOf, WitnessedLog } from '../support/witnessed-log.ts';
import { seededRandom } from './random.ts';

const kills = Number(process.env['COLOPHON_WITNESS_KILLS'] ?? '4');
const seed = Number(process.env['COLOPHON_SEED'] ?? '20261124');

let running: RunningServer | undefined;

afterAll(async () => {
  await running?.kill();
  removeFolders();
});

type History = readonly number[];

it(
  `cosigns one history of two that compete, over ${kills} kills`,
  { timeout: 60_000 + kills * 10_000 },
  async () => {
    console.log(`kills ${kills}, seed ${seed}`);
    const random = seededRandom(seed);
    const folder = temporaryFolder();
    const log = new WitnessedLog('log.example', 7);
    const env = { COLOPHON_WITNESS_LOGS: join(folder, 'logs') };
    writeFileSync(env.COLOPHON_WITNESS_LOGS, `${log.signer.key.text}\n`);
    const port = await freePort();
    const terminalKey = newOwnerKey();
    const start = async (): Promise<RunningServer> =>
      (running = await startServer({ folder, port, terminalKey, env }));
    const ask = async (body: string): Promise<{ status: number; text: string } | undefined> =>
      fetch(`http://127.0.0.1:${port}/witness/add-checkpoint`, { method: 'POST', body })
        .then(async (answer) => ({ status: answer.status, text: await answer.text() }))
        .catch(() => undefined);
    const cosigned: { readonly history: History; readonly text: string }[] = [];
    const offer = async (history: History, oldSize: number): Promise<boolean> => {
      const answer = await ask(log.request(history, oldSize));
      if (answer?.status === 200) cosigned.push({ history, text: answer.text });
      return answer?.status === 200;
    };

    let server = await start();
    let agreed: History = [0, 1];
    expect(await offer(agreed, 0)).toBe(true);
    let leaf = 2;
    for (let kill = 1; kill <= kills; kill++) {
      const stopping = new AbortController();
      let candidates: History[] = [agreed];
      const compete = async (): Promise<void> => {
        while (!stopping.signal.aborted) {
          const grow = (): History => [
            ...agreed,
            ...Array.from({ length: 1 + Math.floor(random() * 3) }, () => leaf++),
          ];
          const offered = [grow(), grow()];
          candidates = [agreed, ...offered];
          const won = await Promise.all(offered.map((history) => offer(history, agreed.length)));
          // Both at once is what must not happen, and what the comparison at the end finds.
          if (won.includes(true)) agreed = offered[won.indexOf(true)] as History;
          else if (!stopping.signal.aborted) return;
        }
      };
      const competing = compete();
      // Somewhere in one of the next requests.
      const enough = cosigned.length + 1 + Math.floor(random() * 12);
      while (cosigned.length < enough) await pause(1);
      await pause(random() * 8);
      await server.kill();
      stopping.abort();
      await competing;
      server = await start();
      // Which of those that were not answered it had recorded, it shows by cosigning that one again.
      const recorded: History[] = [];
      for (const history of candidates) if (await offer(history, history.length)) recorded.push(history);
      expect(recorded).toHaveLength(1);
      agreed = recorded[0] as History;
    }

    const keys = (await runCommandBeside(folder, ['witness', 'keys'], env)).stdout
      .trim()
      .split('\n')
      .map(cosignerKey);
    await server.stop();
    expect(keys.map(({ algorithm }) => algorithm)).toEqual(['ed25519', 'ml-dsa-44']);
    expect(cosigned.length).toBeGreaterThan(kills * 2);
    for (const { history, text } of cosigned) {
      const note = `${log.checkpoint(history).split('\n\n')[0]}\n`;
      const lines = verifyCosignatures(note, text, keys);
      expect(isRefusal(lines) ? lines.refused : lines.length).toBe(2);
      expect(history).toEqual(agreed.slice(0, history.length));
    }
    console.log(`cosigned ${cosigned.length}, up to ${agreed.length} entries`);
  },
);

it(
  `still has the evidence against a log when it is killed behind its answer, over ${kills} kills`,
  { timeout: 60_000 + kills * 10_000 },
  async () => {
    const folder = temporaryFolder();
    const logs = Array.from({ length: kills }, (_, i) => new WitnessedLog(`log${i}.example`, 7));
    const env = { COLOPHON_WITNESS_LOGS: join(folder, 'logs') };
    writeFileSync(env.COLOPHON_WITNESS_LOGS, logs.map(({ signer }) => `${signer.key.text}\n`).join(''));
    const port = await freePort();
    const terminalKey = newOwnerKey();
    const url = `http://127.0.0.1:${port}/witness`;
    const ask = async (body: string): Promise<number> =>
      (await fetch(`${url}/add-checkpoint`, { method: 'POST', body })).status;
    for (const [i, log] of logs.entries()) {
      running = await startServer({ folder, port, terminalKey, env });
      expect(await ask(log.request(leavesOf(5), 0))).toBe(200);
      expect(await ask(log.request(leavesOf(9, 3), 5))).toBe(422);
      await running.kill();
      // What counts is the row; the file could bring it back.
      rmSync(join(folder, 'evidence'), { recursive: true, force: true });
      running = await startServer({ folder, port, terminalKey, env });
      for (const { signer } of logs.slice(0, i + 1)) {
        const kept = await fetch(`${url}/evidence/${evidenceId(signer.key.name)}`);
        expect([signer.key.name, kept.status]).toEqual([signer.key.name, 200]);
        const evidence = parseEvidence(await kept.text());
        expect(isRefusal(evidence) || isRefusal(judgeEvidence(evidence))).toBe(false);
      }
      await running.stop();
    }
  },
);

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

function cosignerKey(text: string): CosignerKey {
  const key = parseCosignerKey(text);
  if (isRefusal(key)) throw new Error(key.refused);
  return key;
}
