import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isKeyName,
  openNote,
  parseNote,
  parseVerifierKey,
  signatureLine,
  signerFromSeed,
  verifierKey,
  type VerifierKey,
} from '../../../src/ledger/note.ts';
import { isRefusal } from '../../../src/ledger/refusal.ts';
import { unhex, vectorJson, vectorText } from './support.ts';

const golden = vectorJson<{
  seed: string;
  name: string;
  verifier_key: string;
  note: { text: string; signed: string };
}>('ledger/notes.json');
const signer = signerFromSeed(golden.name, unhex(golden.seed));

// Keys, note and signatures of golang.org/x/mod/sumdb/note (BSD-3-Clause), which nobody here wrote.
const peter = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const enoch = 'EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop';
const text =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const peterSig =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
const enochSig =
  '— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n';

function key(of: string): VerifierKey {
  const parsed = parseVerifierKey(of);
  if (isRefusal(parsed)) throw new Error(parsed.refused);
  return parsed;
}

function opened(note: string, ...keys: string[]): unknown {
  const result = openNote(note, keys.map(key));
  return isRefusal(result)
    ? result.refused
    : { text: result.text, by: result.signedBy.map(({ name }) => name) };
}

describe('verifier keys', () => {
  test('match the golden file when derived from its seed', () => {
    expect(signer.key.text).toBe(golden.verifier_key);
    expect(key(golden.verifier_key)).toMatchObject({ name: golden.name, id: signer.key.id });
  });

  test('are parsed in the form that other implementations write', () => {
    expect(key(peter)).toMatchObject({ name: 'PeterNeumann', id: 0xc74f20a3, text: peter });
    expect(key(enoch).text).toBe(enoch);
  });

  test('are rejected with any characters missing or any character changed', () => {
    const mangled: string[] = [];
    for (let from = 0; from <= peter.length; from++) {
      for (let to = from; to <= peter.length; to++) {
        if (to - from < peter.length) mangled.push(peter.slice(from, to));
      }
      const bumped =
        peter.slice(0, from) + String.fromCharCode(peter.charCodeAt(from) + 1) + peter.slice(from + 1);
      if (from < peter.length) mangled.push(bumped);
    }
    expect(mangled.length).toBeGreaterThan(2000);
    expect(mangled.filter((form) => !isRefusal(parseVerifierKey(form)))).toEqual([]);
  });

  test.each([
    [
      'if the key has the wrong length',
      'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==',
      'the verifier key is not name+hash+key',
    ],
    [
      'if the algorithm is unknown',
      'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
      'the verifier key is not an Ed25519 key',
    ],
    [
      'if the hash does not match name and key',
      peter.replace('c74f20a3', 'c74f20a4'),
      "the verifier key's hash is not c74f20a4",
    ],
    ['if they end in a line break', `${peter}\n`, 'the verifier key is not name+hash+key'],
    [
      'if the name contains a space',
      peter.replace('PeterNeumann', 'Peter Neumann'),
      'the verifier key is not name+hash+key',
    ],
  ])('are rejected %s', (_title, mangled, why) => {
    expect(parseVerifierKey(mangled)).toEqual({ refused: why });
  });

  test('may hold what looks like a space and is none in Unicode', () => {
    for (const name of ['a\ufeffb', 'a\u200bb', 'a\u180eb'])
      expect([name, isKeyName(name)]).toEqual([name, true]);
  });

  test.each(['', 'a b', 'a+b', 'a\u00a0b', 'a\u2003b', 'a\u0085b', 'a\tb', 'a\nb', '\ud800'])(
    'reject the name %j',
    (name) => {
      expect(isKeyName(name)).toBe(false);
      expect(() => verifierKey(name, new Uint8Array(32))).toThrow(TypeError);
    },
  );

  test('require keys and seeds of 32 bytes', () => {
    expect(() => signerFromSeed('a', new Uint8Array(31))).toThrow('32 bytes');
    expect(() => verifierKey('a', new Uint8Array(33))).toThrow('32 bytes');
  });
});

describe('signing', () => {
  test('reproduces the golden note byte for byte', () => {
    expect(signer.sign(golden.note.text)).toBe(golden.note.signed);
  });

  test.each([
    ['without a last newline', 'abc'],
    ['with a carriage return', 'a\r\n'],
    ['with a NUL', '\0\n'],
    ['with a lone surrogate', '\ud800\n'],
    ['that is empty', ''],
  ])('rejects a text %s', (_title, bad) => {
    expect(() => signer.sign(bad)).toThrow(TypeError);
  });
});

describe('openNote', () => {
  test('reads the example of the specification, whose text has an empty line, and which no known key has signed', () => {
    const example = vectorText('witness/note.example');
    const parsed = parseNote(example);
    if (isRefusal(parsed)) throw new Error(parsed.refused);
    expect(parsed.text).toBe(
      'Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n',
    );
    expect(parsed.signatures.map(({ name, id, bytes }) => [name, id, bytes.length])).toEqual([
      ['quasimodo.example/salvatore', 0x367ba04b, 64],
    ]);
    const { name, id, bytes } = parsed.signatures[0] as (typeof parsed.signatures)[number];
    expect(example).toBe(`${parsed.text}\n${signatureLine({ ...signer.key, name, id }, bytes)}`);
    expect(opened(example, peter)).toEqual('no known key has signed the note');
  });

  test('returns the text of the golden note with its blank line', () => {
    expect(opened(golden.note.signed, golden.verifier_key)).toEqual({
      text: golden.note.text,
      by: [golden.name],
    });
  });

  test('ignores signatures of unknown keys and lists the known keys that signed', () => {
    expect(opened(`${text}\n${peterSig}${enochSig}`, peter)).toEqual({ text, by: ['PeterNeumann'] });
    expect(opened(`${text}\n${peterSig}${enochSig}`, enoch, peter)).toEqual({
      text,
      by: ['PeterNeumann', 'EnochRoot'],
    });
    expect(opened(`${text}\n${peterSig}${peterSig}`, peter)).toEqual({ text, by: ['PeterNeumann'] });
  });

  test('rejects a note without a signature of a known key', () => {
    expect(opened(`${text}\n${peterSig}`)).toBe('no known key has signed the note');
    expect(opened(`${text}\n${peterSig}`, enoch)).toBe('no known key has signed the note');
    // The same name with another id is another key.
    const other = signerFromSeed('PeterNeumann', new Uint8Array(32)).key.text;
    expect(opened(`${text}\n${peterSig}`, other)).toBe('no known key has signed the note');
  });

  test('rejects the whole note for one invalid signature of a known key', () => {
    expect(opened(`${text}\n${peterSig.replace('JkuBS', 'JkuBT')}${enochSig}`, peter, enoch)).toBe(
      'the signature of PeterNeumann is wrong',
    );
    expect(opened(`${text.replace('you', 'they')}\n${peterSig}`, peter)).toBe(
      'the signature of PeterNeumann is wrong',
    );
    const longer = `— PeterNeumann ${Buffer.concat([Buffer.from(peterSig.split(' ')[2] as string, 'base64'), Buffer.of(0)]).toString('base64')}\n`;
    expect(opened(`${text}\n${longer}`, peter)).toBe('the signature of PeterNeumann is wrong');
  });

  test.each([
    ['without signatures', text, 'the note is malformed'],
    ['with an empty signature block', `${text}\n`, 'the note has a malformed signature line'],
    ['without the last newline', `${text}\n${peterSig.slice(0, -1)}`, 'the note is malformed'],
    ['with a control character', `\u0001${text}\n${peterSig}`, 'the note is malformed'],
    ['with a lone surrogate', `\udcff${text}\n${peterSig}`, 'the note is malformed'],
    [
      'with a space in a key name',
      `${text}\n${peterSig.replace('Peter', 'Peter ')}`,
      'the note has a malformed signature line',
    ],
    [
      'with a hyphen instead of the em dash',
      `${text}\n${peterSig.replace('—', '-')}`,
      'the note has a malformed signature line',
    ],
    [
      'with another line among the signatures',
      `${text}\n${peterSig}Unexpected line.\n`,
      'the note has a malformed signature line',
    ],
    [
      'with a signature of four bytes',
      `${text}\n— PeterNeumann x08gow==\n`,
      'the note has a malformed signature line',
    ],
    [
      'with non-canonical base64',
      `${text}\n${peterSig.replace('nAM=', 'nAN=')}`,
      'the note has a malformed signature line',
    ],
    ['with 101 signatures', `${text}\n${peterSig.repeat(101)}`, 'the note has more than 100 signatures'],
  ])('rejects a note %s', (_title, note, why) => {
    expect(opened(note, peter)).toBe(why);
  });

  test('accepts 100 signatures', () => {
    expect(opened(`${text}\n${peterSig.repeat(100)}`, peter)).toEqual({ text, by: ['PeterNeumann'] });
  });

  test('fails with any flipped bit of the note', () => {
    const note = Buffer.from(golden.note.signed);
    const known = [key(golden.verifier_key)];
    fc.assert(
      fc.property(fc.nat(note.length * 8 - 1), (bit) => {
        const flipped = Buffer.from(note);
        flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
        expect(isRefusal(openNote(flipped.toString('utf8'), known))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
