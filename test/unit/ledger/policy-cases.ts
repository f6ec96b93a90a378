/** Policies and cosigned checkpoints that the product's and the standalone verifier's readers must agree on. */
import { formatCheckpoint } from '../../../src/ledger/checkpoint.ts';
import { cosignerFromSeed } from '../../../src/ledger/cosignature.ts';
import { signerFromSeed } from '../../../src/ledger/note.ts';
import { vectorText } from './support.ts';

export const log = signerFromSeed('log.example', Buffer.alloc(32, 9));
export const cosigner = [1, 2, 3, 4, 5, 6].map((n) =>
  cosignerFromSeed(`w${n}.example`, n === 6 ? 'ml-dsa-44' : 'ed25519', Buffer.alloc(32, n)),
);
export const vkey = cosigner.map(({ key }) => key.text);
const [w1, w2] = vkey as [string, string];

/** The specification's example with keys in the places it leaves open. */
export function specExample(): string {
  const keys = [log.key.text, ...vkey];
  return vectorText('witness/policy.example').replaceAll('<vkey>', () => keys.shift() as string);
}

export const text = formatCheckpoint('log.example', 42, Buffer.alloc(32, 7));

/** The checkpoint of the log with the cosignatures of these witnesses, counted from 1. */
export function note(...witnesses: number[]): string {
  return (
    log.sign(text) + witnesses.map((n) => cosigner[n - 1]?.cosign(text, 1_790_000_000 + n) as string).join('')
  );
}

/** Cosignatures by the witnesses X1, X2, X3, Y1, Y2 and Y3 of the example, and whether they are its quorum. */
export const quorums: readonly (readonly [witnesses: number[], met: boolean])[] = [
  [[1, 2, 3, 4, 5, 6], true],
  [[1, 3, 6], true],
  [[2, 3, 4], true],
  [[1, 2, 3], false],
  [[1, 4, 5, 6], false],
  [[4], false],
  [[], false],
];

const reserved = '"none" is predefined and names nothing else';
/** A policy, its malformed line, and what is wrong with it. */
export const malformed: readonly (readonly [file: string, line: number, why: string])[] = [
  ['quorum none\n\x01', 2, 'it holds a control character other than tab'],
  ['quorum none\r\n', 1, 'it holds a control character other than tab'],
  ['quorum none\x7f\n', 1, 'it holds a control character other than tab'],
  ['quibble w1\nquorum none\n', 1, '"quibble" is not log, witness, group or quorum'],
  ['\u00a0quorum none\n', 1, '"\u00a0quorum" is not log, witness, group or quorum'],
  [
    `witness w1 ${w1} https://w1.example/ # comment\nquorum w1\n`,
    1,
    'a witness is "witness <name> <vkey> [<url>]"',
  ],
  ['log\nquorum none\n', 1, 'a log is "log <vkey> [<url>]"'],
  [`log ${log.key.text} a b\nquorum none\n`, 1, 'a log is "log <vkey> [<url>]"'],
  ['log garbage\nquorum none\n', 1, 'the verifier key is not name+hash+key'],
  [`log ${w1}\nquorum none\n`, 1, 'the verifier key is not an Ed25519 key'],
  [
    `log ${log.key.text}\nlog ${log.key.text} https://log.example/\nquorum none\n`,
    2,
    'the key of this log stands on a line above',
  ],
  ['witness w1\nquorum none\n', 1, 'a witness is "witness <name> <vkey> [<url>]"'],
  [
    `witness w1 ${log.key.text}\nquorum w1\n`,
    1,
    'signature type 0x01 is not one of cosignatures (0x04, 0x06)',
  ],
  [
    `witness w1 ${w1.replace(/\+[0-9a-f]{8}\+/, '+00000000+')}\nquorum w1\n`,
    1,
    "the verifier key's hash is not 00000000",
  ],
  [`witness none ${w1}\nquorum none\n`, 1, reserved],
  [`witness w1 ${w1}\nwitness w1 ${w2}\nquorum w1\n`, 2, '"w1" is defined on a line above'],
  [
    `witness w1 ${w1}\nwitness w2 ${cosignerFromSeed('other.example', 'ed25519', Buffer.alloc(32, 1)).key.text}\nquorum w1\n`,
    2,
    'the key of this witness stands on a line above',
  ],
  [`witness w1 ${w1}\ngroup w1 any w1\nquorum w1\n`, 2, '"w1" is defined on a line above'],
  [`witness w1 ${w1}\ngroup g 1\nquorum w1\n`, 2, 'a group is "group <name> all|any|<k> <name>…"'],
  [`witness w1 ${w1}\ngroup none any w1\nquorum none\n`, 2, reserved],
  [`witness w1 ${w1}\ngroup g 0 w1\nquorum g\n`, 2, '"0" is not all, any or a number from 1 to 1'],
  [`witness w1 ${w1}\ngroup g -1 w1\nquorum g\n`, 2, '"-1" is not all, any or a number from 1 to 1'],
  [`witness w1 ${w1}\ngroup g 01 w1\nquorum g\n`, 2, '"01" is not all, any or a number from 1 to 1'],
  [`witness w1 ${w1}\ngroup g 1e0 w1\nquorum g\n`, 2, '"1e0" is not all, any or a number from 1 to 1'],
  [`witness w1 ${w1}\ngroup g 2 w1\nquorum g\n`, 2, '"2" is not all, any or a number from 1 to 1'],
  [`witness w1 ${w1}\ngroup g 1 w2\nquorum g\n`, 2, '"w2" is not defined on a line above'],
  [`group g any w1\nwitness w1 ${w1}\nquorum g\n`, 1, '"w1" is not defined on a line above'],
  [`witness w1 ${w1}\ngroup g any g\nquorum g\n`, 2, '"g" is not defined on a line above'],
  [`witness w1 ${w1}\ngroup g any none w1\nquorum g\n`, 2, '"none" is not defined on a line above'],
  [`witness w1 ${w1}\ngroup g 2 w1 w1\nquorum g\n`, 2, '"w1" is a member of a group already'],
  [
    `witness w1 ${w1}\nwitness w2 ${w2}\ngroup g any w1 w2\ngroup h any w1\nquorum g\n`,
    4,
    '"w1" is a member of a group already',
  ],
  [`witness w1 ${w1}\nquorum w1\nquorum w1\n`, 3, 'the quorum stands on a line above'],
  ['quorum unknown\n', 1, '"unknown" is not defined on a line above'],
  [`quorum w1\nwitness w1 ${w1}\n`, 1, '"w1" is not defined on a line above'],
  ['quorum\n', 1, 'a quorum is "quorum <name>"'],
  ['quorum none none\n', 1, 'a quorum is "quorum <name>"'],
];
