/** Signed notes, cosignatures and Merkle proofs: the product and the standalone verifier against the packages of Go. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatCheckpoint, signCheckpoint } from '../../src/ledger/checkpoint.ts';
import { cosignerFromSeed, parseCosignerKey } from '../../src/ledger/cosignature.ts';
import { verifyConsistency, verifyInclusion } from '../../src/ledger/merkle.ts';
import { openNote, parseVerifierKey, signerFromSeed, type VerifierKey } from '../../src/ledger/note.ts';
import { isRefusal } from '../../src/ledger/refusal.ts';
import {
  openNote as openNoteElsewhere,
  parseVerifierKey as parseVerifierKeyElsewhere,
  verifyCheckpoint,
  verifyConsistency as verifyConsistencyElsewhere,
  verifyInclusion as verifyInclusionElsewhere,
} from '../../verify/index.ts';
import {
  bytes,
  leafOf,
  oracleConsistency,
  oraclePath,
  oracleRoot,
  vectorText,
} from '../unit/ledger/support.ts';
import { GoProgram, hasGo, type GoRequest } from './go.ts';

const log = signerFromSeed('log.example', Buffer.alloc(32, 9));
const ed25519 = cosignerFromSeed('w1.example', 'ed25519', Buffer.alloc(32, 1));
const mlDsa = cosignerFromSeed('w1.example', 'ml-dsa-44', Buffer.alloc(32, 2));
const text = formatCheckpoint('log.example', 42, Buffer.alloc(32, 7));
const timeSeconds = 1_790_000_000;
const cosigned =
  log.sign(text) +
  (ed25519.cosign(text, timeSeconds) as string) +
  (mlDsa.cosign(text, timeSeconds) as string);
const base64 = (hash: Uint8Array): string => Buffer.from(hash).toString('base64');
const idOf = ({ name, text: vkey }: VerifierKey): string => `${name}+${vkey.split('+')[1] as string}`;

function accepted<T extends object>(value: T): Exclude<T, { readonly refused: string }> {
  if (isRefusal(value)) throw new Error(value.refused);
  return value as Exclude<T, { readonly refused: string }>;
}

describe.skipIf(!hasGo)('the note package of Go', () => {
  let go: GoProgram;
  beforeAll(() => {
    go = new GoProgram();
  });
  afterAll(() => go.remove());

  it('opens our checkpoint, and reads the same of it', async () => {
    const root = Buffer.alloc(32, 7);
    const note = signCheckpoint(log, 42, root);
    expect(await go.did({ do: 'open', note, keys: [log.key.text] })).toEqual({
      text: `log.example\n42\n${base64(root)}\n`,
      signed: [{ key: idOf(log.key), time: 0 }],
    });
  });

  it('verifies our Ed25519 cosignature as signature type 0x04 beside the signature of the log', async () => {
    const keys = [log.key.text, ed25519.key.text];
    expect(await go.did({ do: 'open', note: cosigned, keys })).toEqual({
      text,
      signed: [
        { key: idOf(log.key), time: 0 },
        { key: idOf(ed25519.key), time: timeSeconds },
      ],
      unverified: 1,
    });
    const [wrong] = await go.ask([{ do: 'open', note: cosigned.replace('\n42\n', '\n43\n'), keys }]);
    expect(wrong?.error).toBe(`invalid signature for key ${idOf(log.key)}`);
  });

  it('signs the same bytes with the same seed: notes and cosignatures', async () => {
    const seed = Buffer.alloc(32, 9).toString('base64');
    const signed = await go.did({ do: 'sign', name: 'log.example', seed, text });
    expect([signed.key, signed.note]).toEqual([log.key.text, log.sign(text)]);
    const one = Buffer.alloc(32, 1).toString('base64');
    const witnessed = await go.did({ do: 'sign', name: 'w1.example', seed: one, text, time: timeSeconds });
    expect(witnessed.key).toBe(ed25519.key.text);
    expect(witnessed.note).toBe(`${text}\n${ed25519.cosign(text, timeSeconds) as string}`);
  });

  it('signs notes and cosignatures that the product and the standalone verifier open', async () => {
    const seed = Buffer.alloc(32, 77).toString('base64');
    const signed = await go.did({ do: 'sign', name: 'log.example/é', seed, text: 'Grüße\n\nzwei\n' });
    const key = accepted(parseVerifierKey(signed.key as string));
    expect(accepted(openNote(signed.note as string, [key])).text).toBe('Grüße\n\nzwei\n');
    const elsewhere = await parseVerifierKeyElsewhere(signed.key as string);
    expect(await openNoteElsewhere(signed.note as string, elsewhere)).toBe('Grüße\n\nzwei\n');

    const witnessed = await go.did({ do: 'sign', name: 'go.example', seed, text, time: timeSeconds });
    const cosigner = accepted(parseCosignerKey(witnessed.key as string));
    const line = (witnessed.note as string).slice(text.length + 1);
    expect(accepted(openNote(log.sign(text) + line, [log.key, cosigner])).signedBy).toHaveLength(2);
    const policy = `log ${log.key.text}\nwitness go ${witnessed.key as string}\nquorum go\n`;
    expect(await verifyCheckpoint(log.sign(text) + line, { policy })).toMatchObject({
      ok: true,
      checks: [{ id: 'signature' }, { id: 'quorum', ok: true }],
    });
  });

  it('opens cosignatures of public witnesses with the verifier of signature type 0x04', async () => {
    const note = vectorText('witness/ed25519.checkpoint');
    const keys = [...vectorText('witness/ed25519.policy').matchAll(/(?<=^(?:log|witness \S+) )\S+/gm)];
    const opened = await go.did({ do: 'open', note, keys: keys.map(([key]) => key) });
    expect(opened.signed?.map(({ time }) => time)).toEqual([0, 1779573024]);
  });

  it('judges every changed note as the product and the standalone verifier do', async () => {
    const note = log.sign(text) + (ed25519.cosign(text, timeSeconds) as string);
    const keys = [log.key, ed25519.key];
    const notes = [...changes(note), ...oddNotes()];
    const opened = await go.ask(
      notes.map((each) => ({ do: 'open', note: each, keys: keys.map((key) => key.text) })),
    );
    const policy = `log ${log.key.text}\nwitness w1 ${ed25519.key.text}\nquorum none\n`;
    const differing: unknown[] = [];
    let sound = 0;
    for (const [i, each] of notes.entries()) {
      const own = openNote(each, keys);
      const isOpened = opened[i]?.error === undefined;
      // Go ignores stray bits in the last character of base64; here one value has one text, so that less is accepted.
      const hasStrayBits = !isCanonical(each);
      if (isOpened !== !isRefusal(own) && !hasStrayBits) differing.push(['product', each, opened[i], own]);
      if (!isOpened && !isRefusal(own)) differing.push(['product accepts more', each]);
      if (isOpened && !isRefusal(own) && opened[i]?.text !== own.text) differing.push(['text', each]);
      const signedBy = isRefusal(own) ? [] : own.signedBy.map(idOf);
      if (isOpened && !isRefusal(own) && opened[i]?.signed?.map(({ key }) => key).join() !== signedBy.join())
        differing.push(['signers', each, opened[i], signedBy]);
      const elsewhere = await verifyCheckpoint(each, { policy });
      // The verifier demands the signature of the log, and a checkpoint in the note.
      if (elsewhere.ok && (!isOpened || !signedBy.includes(idOf(log.key))))
        differing.push(['verifier', each]);
      if (
        !elsewhere.ok &&
        isOpened &&
        !isRefusal(own) &&
        own.text === text &&
        signedBy.includes(idOf(log.key))
      )
        differing.push(['verifier refuses', each, elsewhere]);
      if (isOpened) sound++;
    }
    expect(differing).toEqual([]);
    expect([notes.length > 1000, sound > 5]).toEqual([true, true]);
  });
});

/** A note with each character changed, dropped, doubled, or with another before it. */
function* changes(note: string): Iterable<string> {
  for (let at = 0; at < note.length; at++)
    for (const instead of [
      '',
      note[at] === 'A' ? 'B' : 'A',
      '\n',
      ' ',
      `${note[at] as string}${note[at] as string}`,
    ])
      yield note.slice(0, at) + instead + note.slice(at + 1);
}

/** Whether every signature in a note is the only text of its bytes. */
function isCanonical(note: string): boolean {
  return note
    .split('\n')
    .filter((line) => line.startsWith('— '))
    .map((line) => line.split(' ')[2] ?? '')
    .every((encoded) => Buffer.from(encoded, 'base64').toString('base64') === encoded);
}

/** Forms that a reader could judge in another way. */
function oddNotes(): string[] {
  const signed = log.sign(text);
  const [, line] = signed.split('\n\n') as [string, string];
  const other = signerFromSeed('other.example', Buffer.alloc(32, 3)).sign(text).split('\n\n')[1] as string;
  const cosignature = ed25519.cosign(text, timeSeconds) as string;
  const short = `— other.example ${Buffer.alloc(4).toString('base64')}\n`;
  const names = [
    '\ufeff',
    '\u0085',
    '\u00a0',
    '\u1680',
    '\u2028',
    '\u200b',
    '\u180e',
    '\u3000',
    '\u007f',
    'é',
  ];
  return [
    signed,
    signed + other,
    other === '' ? signed : `${text}\n${other}${line}`,
    signed + line,
    signed + cosignature + cosignature,
    `${text}\n${cosignature}`,
    `${text}\n${cosignature}${line}`,
    `${text}\n${other}`,
    `${text}\n`,
    `${text}${line}`,
    `\n${signed}`,
    `${signed}\n`,
    `${signed}x\n`,
    signed.slice(0, -1),
    signed + short,
    signed + `— other.example ${Buffer.alloc(5).toString('base64')}\n`,
    signed.replaceAll('\n', '\r\n'),
    signed.replace('—', '-'),
    signed.replace('— ', '—'),
    signed + other.replace('— ', '—  '),
    signed + other.replace('other.example', ''),
    signed + other.replace('other', 'o+r'),
    signed + other.repeat(99),
    signed + other.repeat(100),
    ...names.map((odd) => signed + other.replace('other', `o${odd}r`)),
    '',
    '\n\n',
    '\n',
  ];
}

describe.skipIf(!hasGo)('the tlog package of Go', () => {
  let go: GoProgram;
  beforeAll(() => {
    go = new GoProgram();
  });
  afterAll(() => go.remove());

  const leaves = Array.from({ length: 33 }, (_, i) => leafOf(i));
  const roots = leaves.map((_, i) => oracleRoot(leaves.slice(0, i + 1)));

  /** A proof as it is, and broken in every way. */
  function* proofs(proof: readonly Uint8Array[]): Iterable<readonly Uint8Array[]> {
    yield proof;
    yield [...proof, leafOf(99)];
    yield [leafOf(99), ...proof];
    if (proof.length === 0) return;
    yield proof.slice(1);
    yield proof.slice(0, -1);
    if (proof.length > 1) yield proof.toReversed();
    yield proof.map((hash, i) => (i === proof.length >> 1 ? leafOf(98) : hash));
  }

  it('judges every proof of inclusion and consistency as both verifiers do, sound or broken', async () => {
    const cases: {
      readonly request: GoRequest;
      readonly own: boolean;
      readonly elsewhere: Promise<boolean>;
    }[] = [];
    for (let size = 1; size <= leaves.length; size++)
      for (let index = 0; index < size; index++) {
        const root = roots[size - 1] as Uint8Array;
        const leaf = leaves[index] as Uint8Array;
        const first = index + 1;
        const older = roots[index] as Uint8Array;
        const common = { tree: size, root: base64(root) };
        const all = size > 24 || (size & (size - 1)) === 0;
        for (const proof of proofs(oraclePath(index, leaves.slice(0, size)))) {
          cases.push({
            request: { do: 'record', ...common, index, leaf: base64(leaf), proof: proof.map(base64) },
            own: verifyInclusion(index, size, leaf, proof, root),
            elsewhere: verifyInclusionElsewhere(index, size, bytes(leaf), proof.map(bytes), bytes(root)),
          });
          if (!all) break;
        }
        for (const proof of proofs(oracleConsistency(first, leaves.slice(0, size)))) {
          cases.push({
            request: { do: 'tree', ...common, index: first, leaf: base64(older), proof: proof.map(base64) },
            own: verifyConsistency(first, size, proof, older, root),
            elsewhere: verifyConsistencyElsewhere(first, size, proof.map(bytes), bytes(older), bytes(root)),
          });
          if (!all) break;
        }
      }
    const answers = await go.ask(cases.map(({ request }) => request));
    let sound = 0;
    for (const [i, { request, own, elsewhere }] of cases.entries()) {
      const isProven = answers[i]?.error === undefined;
      expect({ request, own, elsewhere: await elsewhere }).toEqual({
        request,
        own: isProven,
        elsewhere: isProven,
      });
      if (isProven) sound++;
    }
    expect([cases.length > 4000, sound]).toEqual([true, 2 * 561]);
  });
});
