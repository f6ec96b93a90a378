/**
 * Bundles, receipts and confirmations whose checkpoints are cosigned: no member of them, and no part of the signed text in
 * them, can be changed without the standalone verifier refusing it or naming what nothing vouches for (contract §6).
 */
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyBundle, verifyReceipt, type Json, type Report, type Trusted } from '../../verify/index.ts';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';
import { by, stranger, witnesses } from './cosigned-evidence.ts';
import { accepted, isNamed } from './mutations.ts';

const all = process.env['COLOPHON_MUTATIONS'] === 'all';

type Holder = Record<string, Json>;

/** A document, and the place of the signed text in it. */
interface Cosigned {
  readonly document: Holder;
  readonly place: 'origin.checkpoint' | 'proof.tlog_proof';
  readonly verify: (document: Json, trusted: Trusted) => Promise<Report>;
}

let deployment: TestDeployment;
let app: FastifyInstance;
let key: string;
let policy: string;
let inv: string;

beforeAll(async () => {
  deployment = await openDeployment();
  const { did } = deployment;
  const document = { slug: 'tides', title: 'Tides', markdown: '# Tides\n\nThe moon pulls.\n' };
  inv = String((await did('VOXEL_BATCH', { document, actor: 'a' }))['inv']);
  app = deployment.http();
  key = (await text('/.well-known/colophon-key')).trim();
  const lines = witnesses.map(({ key: { text: vkey } }, i) => `witness w${i + 1} ${vkey}\n`);
  policy = `log ${key}\n${lines.join('')}group g 2 w1 w2 w3\nquorum g\n`;
});

afterAll(() => deployment.end());

async function text(url: string): Promise<string> {
  const response = await app.inject({ url, headers: { 'x-terminal-key': 'tk_only-for-tests-0123456789' } });
  expect([url, response.statusCode]).toEqual([url, 200]);
  return response.body;
}

/** The text of the checkpoint at the end of a signed text, which all signatures are over. */
function checkpointIn(signed: string): string {
  const [body = ''] = signed
    .slice(signed.startsWith('c2sp.org/') ? signed.indexOf('\n\n') + 2 : 0)
    .split('\n\n');
  return `${body}\n`;
}

/** The holder of the signed text, and its name there. */
function holderOf({ document, place }: Cosigned): [holder: Holder, name: string] {
  const [holder = '', name = ''] = place.split('.');
  return [document[holder] as Holder, name];
}

async function cosigned(
  url: string,
  place: Cosigned['place'],
  verify: Cosigned['verify'],
): Promise<Cosigned> {
  const found = { document: JSON.parse(await text(url)) as Holder, place, verify };
  const [holder, name] = holderOf(found);
  const signed = String(holder[name]);
  holder[name] = signed + witnesses.map((witness) => by(witness, checkpointIn(signed))).join('');
  return found;
}

const cases: readonly (readonly [what: string, open: () => Promise<Cosigned>])[] = [
  ['a bundle', () => cosigned('/api/articles/tides/bundle', 'origin.checkpoint', verifyBundle)],
  ['a receipt', () => cosigned(`/api/dispatch?receipt=${inv}`, 'proof.tlog_proof', verifyReceipt)],
  ['a confirmation', () => cosigned(`/api/dispatch?confirm=${inv}`, 'proof.tlog_proof', verifyReceipt)],
];

/** The signature lines at the end of a signed text, and all before them. */
function divided(signed: string): [head: string, lines: readonly string[]] {
  const end = signed.lastIndexOf('\n\n') + 2;
  return [signed.slice(0, end), signed.slice(end, -1).split('\n')];
}

/** Every change of the text: characters, lines, and lines that anybody can add. */
function* changesOf(signed: string): Iterable<string> {
  const [head, lines] = divided(signed);
  const dense = head.length + 700;
  for (let at = 0; at < signed.length; at += all ? 1 : at < dense ? 7 : 331)
    for (const instead of ['', signed[at] === 'A' ? 'B' : 'A', '\n', ' '])
      yield signed.slice(0, at) + instead + signed.slice(at + 1);
  const of = checkpointIn(signed);
  const written = (changed: readonly string[]): string =>
    `${head}${changed.map((line) => `${line}\n`).join('')}`;
  for (const at of lines.keys()) {
    yield written(lines.toSpliced(at, 1));
    yield written(lines.toSpliced(at, 0, lines[at] as string));
    yield written([...lines.toSpliced(at, 1), lines[at] as string]);
    yield written(lines.toSpliced(at, 0, by(stranger, of).trimEnd()));
  }
  for (let length = 0; length < signed.length; length += all ? 1 : 89) yield signed.slice(0, length);
  yield signed.replace('index ', 'extra AAAA\nindex ');
  yield signed.replaceAll('\n', '\r\n');
}

describe.each(cases)(
  '%s that is cosigned by two Ed25519 witnesses and one ML-DSA-44 witness',
  (_what, open) => {
    it('is accepted by a policy of 2 of 3 with nothing more uncovered, and refused without a quorum', async () => {
      const given = await open();
      const { document, place, verify } = given;
      const [holder, name] = holderOf(given);
      const whole = String(holder[name]);
      const [head, lines] = divided(whole);
      const withLines = async (count: number, trusted: Trusted): Promise<Report> => {
        holder[name] =
          head +
          lines
            .slice(0, count)
            .map((line) => `${line}\n`)
            .join('');
        const report = await verify(document, trusted);
        holder[name] = whole;
        return report;
      };
      const alone = await withLines(1, key);
      expect([alone.ok, alone.uncovered?.includes(`${place}.signatures`)]).toEqual([true, false]);
      const both = await withLines(4, { verifierKey: key, policy });
      expect([both.ok, both.uncovered]).toEqual([true, alone.uncovered]);
      expect((await withLines(4, { policy })).ok).toBe(true);
      expect((await withLines(3, { policy })).ok).toBe(true);
      for (const count of [2, 1]) {
        const report = await withLines(count, { policy });
        expect(report.checks.filter(({ ok }) => !ok).map(({ id }) => id)).toEqual(['quorum']);
      }
      // The key of the log says nothing of the signatures of others.
      const unjudged = await withLines(4, key);
      expect([unjudged.ok, unjudged.uncovered]).toEqual([
        true,
        [...(alone.uncovered ?? []), `${place}.signatures`],
      ]);
    });

    it('has no member that can be changed unnoticed', { timeout: 300_000 }, async () => {
      const { document, verify } = await open();
      const { made, unnamed } = await accepted(document, (changed) => verify(changed, { policy }));
      expect([made > 100, unnamed]).toEqual([true, []]);
    });

    it.each([
      ['a policy', () => ({ policy })],
      ['the key of the log', () => key],
    ] as const)(
      'has no part of its signed text that can be changed unnoticed under %s',
      { timeout: 600_000 },
      async (_trust, trust) => {
        const given = await open();
        const { document, place, verify } = given;
        const [holder, name] = holderOf(given);
        const whole = String(holder[name]);
        const [head, lines] = divided(whole);
        const sound = (await verify(document, trust())).uncovered ?? [];
        const unnamed: string[] = [];
        let made = 0;
        for (const changed of changesOf(whole)) {
          if (changed === whole) continue;
          made++;
          holder[name] = changed;
          const report = await verify(document, trust());
          if (!report.ok) continue;
          const uncovered = [...sound, ...(report.uncovered ?? [])];
          const isHead = !changed.startsWith(head);
          const isListed = isNamed(uncovered, isHead ? `${place}.extra` : `${place}.signatures`);
          // Harmless: whole lines left out while two of three suffice, or in another order. No byte of them is another.
          const left = isHead ? [] : divided(changed)[1];
          const isLess =
            !isHead && new Set(left).size === left.length && left.every((line) => lines.includes(line));
          if (!isListed && !isLess) unnamed.push(changed);
        }
        holder[name] = whole;
        expect([made > 250, unnamed]).toEqual([true, []]);
      },
    );
  },
);
