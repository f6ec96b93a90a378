import { describe, expect, test } from 'vitest';
import { openNote, parseVerifierKey, verifyProofText } from '../../../verify/index.ts';
import { unhex, vectorJson } from '../ledger/support.ts';
import { failuresOf, sound } from './support.ts';

const golden = vectorJson<{
  verifier_key: string;
  note: { text: string; signed: string };
  proofs: { index: number; text: string; leaf: string; proof: string }[];
  proof_with_extra: { leaf: string; proof: string };
}>('ledger/notes.json');

const key = golden.verifier_key;
const good = golden.proofs[1] as { text: string; leaf: string; proof: string };

describe('verifyProofText', () => {
  test.each(golden.proofs)(
    'accepts golden proof $index for the entry as text, object and hash',
    async ({ text, leaf, proof }) => {
      const entry = JSON.parse(text) as { i: number };
      for (const form of [text, entry, leaf, { ...entry, hash: leaf }])
        expect(sound(await verifyProofText(proof, key, form))).toBe(true);
    },
  );

  test('reports the result of each check', async () => {
    expect(await verifyProofText(good.proof, key, good.leaf)).toEqual({
      ok: true,
      checks: [
        { id: 'entry', ok: true, detail: `the entry's hash is ${good.leaf}` },
        { id: 'signature', ok: true, detail: 'ledger.example/colophon signed the log of 600 entries' },
        { id: 'inclusion', ok: true, detail: 'entry 300 of that log is this one' },
      ],
    });
  });

  test('accepts a proof with extra data', async () => {
    expect(
      sound(await verifyProofText(golden.proof_with_extra.proof, key, golden.proof_with_extra.leaf)),
    ).toBe(true);
  });

  test.each<
    [
      string,
      () => Promise<{ ok: boolean; checks: readonly { id: string; ok: boolean; detail: string }[] }>,
      string,
    ]
  >([
    [
      'another entry',
      () => verifyProofText(good.proof, key, { i: 301 }),
      'inclusion: the proof does not lead from this entry at 300 to the signed root',
    ],
    [
      'another index',
      () => verifyProofText(good.proof.replace('index 300', 'index 301'), key, good.leaf),
      'inclusion: the proof does not lead from this entry at 301 to the signed root',
    ],
    [
      'an entry whose hash is another',
      () => verifyProofText(good.proof, key, { i: 300, hash: 'ab'.repeat(32) }),
      'entry: the entry cannot be hashed: its hash does not match it',
    ],
    [
      'an entry that is not JSON',
      () => verifyProofText(good.proof, key, '{i:300}'),
      'entry: the entry cannot be hashed: a key is missing (at character 1)',
    ],
    [
      'an entry that is a list',
      () => verifyProofText(good.proof, key, [300]),
      'entry: the entry cannot be hashed: it is not an object',
    ],
    [
      'another header',
      () => verifyProofText(good.proof.replace('@v1', '@v2'), key, good.leaf),
      'proof: the proof does not begin with c2sp.org/tlog-proof@v1',
    ],
    [
      'no index',
      () => verifyProofText(good.proof.replace('index 300', 'index x'), key, good.leaf),
      'proof: the proof has no index',
    ],
    [
      'a leading zero',
      () => verifyProofText(good.proof.replace('index 300', 'index 0300'), key, good.leaf),
      'proof: the proof has no index',
    ],
    [
      'a short hash',
      () => verifyProofText(good.proof.replace('300\n', '300\nAAAA\n'), key, good.leaf),
      'proof: hash 0 of the proof is not 32 bytes of base64',
    ],
    [
      'loose extra data',
      () => verifyProofText(good.proof.replace('index', 'extra !\nindex'), key, good.leaf),
      "proof: the proof's extra data is not base64",
    ],
    [
      'another size',
      () => verifyProofText(good.proof.replace('\n600\n', '\n601\n'), key, good.leaf),
      'signature: the signature of ledger.example/colophon is wrong',
    ],
    [
      'no signature',
      () => verifyProofText(good.proof.replace(/— .*\n$/, ''), key, good.leaf),
      'signature: the signed note has a malformed signature line',
    ],
    [
      'a signature of someone else',
      () => verifyProofText(good.proof.replace('— ledger', '— Ledger'), key, good.leaf),
      'signature: the note is not signed by ledger.example/colophon',
    ],
    [
      'no key',
      () => verifyProofText(good.proof, '', good.leaf),
      'key: the verifier key is not name+hash+key with an Ed25519 key',
    ],
    [
      'a key whose hash does not fit',
      () => verifyProofText(good.proof, key.replace('+d3', '+d4'), good.leaf),
      "key: the verifier key's hash does not fit its name and key",
    ],
  ])('refuses %s', async (_title, verify, why) => {
    const report = await verify();
    expect([report.ok, failuresOf(report)]).toEqual([false, [why]]);
  });

  test('rejects a proof with any one byte changed', async () => {
    const bytes = Buffer.from(good.proof);
    for (let i = 0; i < bytes.length; i++) {
      const bent = Buffer.from(bytes);
      bent[i] = (bent[i] as number) ^ 1;
      expect([i, (await verifyProofText(bent.toString('utf8'), key, unhexText(good.leaf))).ok]).toEqual([
        i,
        false,
      ]);
    }
  });
});

function unhexText(text: string): string {
  return Buffer.from(unhex(text)).toString('hex');
}

describe('notes', () => {
  test('of golang.org/x/mod are parsed with their blank lines and unknown signatures', async () => {
    const peter = await parseVerifierKey(
      'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    );
    const text =
      "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
    const note = `${text}\n— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`;
    expect(await openNote(note, peter)).toBe(text);
    await expect(openNote(note.replace('your problem is', 'our problem is'), peter)).rejects.toThrow(
      'the signature of PeterNeumann is wrong',
    );
    expect(await openNote(golden.note.signed, await parseVerifierKey(key))).toBe(golden.note.text);
  });
});
