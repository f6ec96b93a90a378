/** Cosignatures (C2SP tlog-cosignature) against those that public witnesses have made, and made by the product. */
import { describe, expect, test } from 'vitest';
import { formatCheckpoint } from '../../../src/ledger/checkpoint.ts';
import {
  cosignerFromSeed,
  parseCosignerKey,
  parseLogKey,
  verifyCosignatures,
  type Cosigner,
  type CosignatureAlgorithm,
  type CosignerKey,
} from '../../../src/ledger/cosignature.ts';
import { openNote, parseVerifierKey, signerFromSeed } from '../../../src/ledger/note.ts';
import { isRefusal } from '../../../src/ledger/refusal.ts';
import { flipBit, vectorText } from './support.ts';

function accepted<T extends object>(value: T): Exclude<T, { readonly refused: string }> {
  if (isRefusal(value)) throw new Error(value.refused);
  return value as Exclude<T, { readonly refused: string }>;
}

function vkeyIn(policy: string, keyword: string): string {
  return new RegExp(`^${keyword} (\\S+)`, 'm').exec(vectorText(policy))?.[1] as string;
}

const foreign = [
  {
    file: 'ed25519',
    keyword: 'witness remora',
    algorithm: 'ed25519',
    timeSeconds: 1779573024,
    id: 0xda77ade7,
  },
  {
    file: 'ml-dsa-44',
    keyword: 'witness navigli',
    algorithm: 'ml-dsa-44',
    timeSeconds: 1785704691,
    id: 0x6bc44249,
  },
] as const;

describe.each(foreign)('the $algorithm cosignature of a public witness', ({ file, keyword, ...expected }) => {
  const note = vectorText(`witness/${file}.checkpoint`);
  const [body = '', lines = ''] = note.split('\n\n');
  const text = `${body}\n`;
  const vkey = vkeyIn(`witness/${file}.policy`, keyword);
  const key = accepted(parseCosignerKey(vkey));

  test('is verified with the key that the witness publishes', () => {
    expect(key).toMatchObject({ algorithm: expected.algorithm, id: expected.id, text: vkey });
    const [found, ...more] = accepted(verifyCosignatures(text, lines, [key]));
    expect(found).toMatchObject({ timeSeconds: expected.timeSeconds });
    expect(note).toContain(found?.line);
    expect(more).toEqual([]);
  });

  test('is rejected over another text and with any byte of it changed', () => {
    const { bytes } = accepted(openNote(note, [key])).signatures[0] as { bytes: Uint8Array };
    expect(key.verifies(text, bytes)).toBe(true);
    for (const other of [text.replace('\n1', '\n2'), text.replace('.', '-'), `${text}more\n`, ''])
      expect(key.verifies(other, bytes)).toBe(false);
    // The time, the beginning and the end of the signature, and one byte in 97 between.
    for (let at = 0; at < bytes.length; at += at < 16 ? 1 : 97)
      expect(key.verifies(text, flipBit(bytes, 8 * at))).toBe(false);
    for (const short of [bytes.subarray(0, 8), bytes.subarray(1), Buffer.concat([bytes, Buffer.of(0)])])
      expect(key.verifies(text, short)).toBe(false);
  });

  test('is rejected under another name', () => {
    const renamed = vkey.replace(/^[^+]+/, 'witness.example');
    expect(parseCosignerKey(renamed)).toEqual({
      refused: `the verifier key's hash is not ${vkey.split('+')[1]}`,
    });
    expect(verifyCosignatures(text, lines.replaceAll(key.name, 'witness.example'), [key])).toEqual({
      refused: 'no known key has signed the note',
    });
  });
});

test('the log that the witness cosigned is opened by its own key beside that of the witness', () => {
  const log = accepted(parseLogKey(vkeyIn('witness/ed25519.policy', 'log')));
  const witness = accepted(parseCosignerKey(vkeyIn('witness/ed25519.policy', 'witness remora')));
  const opened = accepted(openNote(vectorText('witness/ed25519.checkpoint'), [witness, log]));
  expect(opened.signedBy.map(({ name }) => name)).toEqual([
    'arche2025h1.staging.ct.transparency.dev',
    'remora.n621.de',
  ]);
});

test('the example of the specification has the form of an Ed25519 cosignature and its message', () => {
  // The specification publishes no key for it.
  const { message } = capture(
    'ed25519',
    vectorText('witness/cosigned.example').split('\n\n')[0] + '\n',
    1679315147,
  );
  expect(message).toBe(vectorText('witness/cosigned.message'));
  const line = vectorText('witness/cosigned.example').trimEnd().split('\n').at(-1) as string;
  const bytes = Buffer.from(line.split(' ')[2] as string, 'base64');
  expect([bytes.length, bytes.readBigUInt64BE(4)]).toEqual([76, 1679315147n]);
});

const text = formatCheckpoint('log.example', 20852163, Buffer.alloc(32, 7));
const cosigners: Readonly<Record<CosignatureAlgorithm, Cosigner>> = {
  ed25519: cosignerFromSeed('witness.example/w1', 'ed25519', Buffer.alloc(32, 1)),
  'ml-dsa-44': cosignerFromSeed('witness.example/w1', 'ml-dsa-44', Buffer.alloc(32, 2)),
};
const keys: readonly CosignerKey[] = [cosigners.ed25519.key, cosigners['ml-dsa-44'].key];
const timeSeconds = 1_790_000_000;

/** What a cosignature is over, by its Ed25519 signature: the key signs exactly that as a note text would be. */
function capture(algorithm: 'ed25519', checkpoint: string, time: number): { message: string } {
  const plain = signerFromSeed('witness.example/w1', Buffer.alloc(32, 1));
  const line = cosigners[algorithm].cosign(checkpoint, time) as string;
  const signature = Buffer.from(line.split(' ')[2] as string, 'base64').subarray(12);
  const message = `cosignature/v1\ntime ${time}\n${checkpoint}`;
  expect(plain.key.verifies(message, signature)).toBe(true);
  return { message };
}

describe('a cosigner of the product', () => {
  test('makes lines of 4 + 8 + 64 and 4 + 8 + 2,420 bytes that verify, each with its key alone', () => {
    for (const [algorithm, length] of [
      ['ed25519', 76],
      ['ml-dsa-44', 2432],
    ] as const) {
      const line = cosigners[algorithm].cosign(text, timeSeconds) as string;
      expect(Buffer.from(line.split(' ')[2] as string, 'base64')).toHaveLength(length);
      expect(accepted(verifyCosignatures(text, line, keys))).toEqual([
        { key: cosigners[algorithm].key, timeSeconds, line },
      ]);
      expect(
        verifyCosignatures(text, line, [cosigners[algorithm === 'ed25519' ? 'ml-dsa-44' : 'ed25519'].key]),
      ).toEqual({
        refused: 'no known key has signed the note',
      });
    }
  });

  test('writes keys that are read again, of types that logs and notes do not take for theirs', () => {
    for (const { text: vkey, algorithm } of keys)
      expect(accepted(parseCosignerKey(vkey))).toMatchObject({ text: vkey, algorithm });
    expect(cosigners.ed25519.key.text).toBe(
      'witness.example/w1+0ad7d35e+BIqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c',
    );
    const plain = signerFromSeed('witness.example/w1', Buffer.alloc(32, 1)).key.text;
    expect(parseCosignerKey(plain)).toEqual({
      refused: 'signature type 0x01 is not one of cosignatures (0x04, 0x06)',
    });
    expect(parseVerifierKey(cosigners.ed25519.key.text)).toEqual({
      refused: 'the verifier key is not an Ed25519 key',
    });
    expect(parseLogKey(cosigners.ed25519.key.text)).toEqual({
      refused: 'the verifier key is not an Ed25519 key',
    });
    expect(accepted(parseLogKey(cosigners['ml-dsa-44'].key.text)).name).toBe('witness.example/w1');
  });

  test('cosigns no text that is not a checkpoint', () => {
    expect(cosigners.ed25519.cosign('log.example\n', timeSeconds)).toEqual({
      refused: 'the checkpoint has no size',
    });
  });

  test('leaves ML-DSA-44 out where the checkpoint has extension lines or a long origin, which it cannot sign', () => {
    const long = formatCheckpoint('l'.repeat(256), 1, Buffer.alloc(32, 7));
    for (const unfit of [`${text}extension\n`, long]) {
      expect(cosigners['ml-dsa-44'].cosign(unfit, timeSeconds)).toEqual({
        refused: 'the checkpoint does not fit an ml-dsa-44 cosignature',
      });
      expect(cosigners.ed25519.cosign(unfit, timeSeconds)).toBeTypeOf('string');
    }
    // With a signature that is right for the first three lines.
    const line = cosigners['ml-dsa-44'].cosign(text, timeSeconds) as string;
    expect(verifyCosignatures(`${text}extension\n`, line, keys)).toEqual({
      refused: 'the signature of witness.example/w1 is wrong',
    });
  });
});

describe('an answer of a witness', () => {
  const line = cosigners.ed25519.cosign(text, timeSeconds) as string;
  const other = cosignerFromSeed('witness.example/w2', 'ed25519', Buffer.alloc(32, 3));

  test('may hold lines of unknown keys, which are ignored', () => {
    const unknown = other.cosign(text, timeSeconds) as string;
    const example = vectorText('witness/add-checkpoint.response');
    expect(
      accepted(verifyCosignatures(text, `${unknown}${example}${line}`, keys)).map((each) => each.line),
    ).toEqual([line]);
  });

  test('is refused where a known key has signed another checkpoint, or nothing', () => {
    const moved = cosigners.ed25519.cosign(text.replace('20852163', '20852164'), timeSeconds) as string;
    expect(verifyCosignatures(text, moved, keys)).toEqual({
      refused: 'the signature of witness.example/w1 is wrong',
    });
    expect(verifyCosignatures(text, other.cosign(text, timeSeconds) as string, keys)).toEqual({
      refused: 'no known key has signed the note',
    });
  });

  test.each([
    ['nothing', ''],
    ['no newline at its end', line.slice(0, -1)],
    ['an empty line and a note of its own', `x\n\n${line}`],
    ['JSON', '{"cosignatures":[]}\n'],
  ])('is refused where it is %s', (_what, answer) => {
    expect(isRefusal(verifyCosignatures(text, answer, keys))).toBe(true);
  });
});
