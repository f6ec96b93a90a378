/** Every class of change of a policy (`cosigned-evidence.ts`); one that is accepted says why it is harmless. */
import { cosignerFromSeed } from '../../src/ledger/cosignature.ts';
import { signerFromSeed } from '../../src/ledger/note.ts';
import {
  log,
  w1,
  stranger,
  otherLog,
  by,
  signed,
  logLine,
  c1,
  c2,
  c3,
  proof,
  defined,
  policyOf,
  policy,
  refused,
  accepted,
  otherText,
  type Verdict,
} from './cosigned-evidence.ts';

/** A log that signs with ML-DSA-44, as a log or a witness. */
const pq = cosignerFromSeed('log.example', 'ml-dsa-44', Buffer.alloc(32, 20));
const renamed = cosignerFromSeed('another.example', 'ed25519', Buffer.alloc(32, 1));
const group = (count: string, members = 'w1 w2 w3'): string =>
  `${defined}group g ${count} ${members}\nquorum g\n`;
/** `count` definitions: those of the policy and as many logs as there is room for. */
const definitions = (count: number): string => {
  const logs = Array.from({ length: count - 5 }, (_, i) => {
    const seed = Buffer.alloc(32, 0);
    seed.writeUInt32BE(i + 1);
    return `log ${signerFromSeed('many.example', seed).key.text}\n`;
  });
  // The quorum stands before the last ones, which must count all the same.
  return policy + logs.join('');
};

/** Changes of the policy: what, the policy, the verdict, and the proof where it is not the sound one. */
export const policies: readonly (readonly [
  what: string,
  policy: string | Uint8Array,
  verdict: Verdict,
  proof?: string,
])[] = [
  ['all of three', policyOf('all'), accepted('all three have cosigned')],
  ['any of three', policyOf('any'), accepted('it demands less')],
  ['no newline at its end', policy.trimEnd(), accepted('the last line needs none')],
  [
    'tabs, spaces and comments',
    `# a\n\n\t${policy.replaceAll(' ', ' \t ')}  # b\n`,
    accepted('white space and comments mean nothing'),
  ],
  [
    'no quorum demanded',
    `${defined}quorum none\n`,
    accepted('the policy itself demands no witness'),
    proof([logLine]),
  ],
  ['all of three, of which one has not cosigned', policyOf(3), refused, proof([logLine, c1, c2])],
  ['a witness that has not cosigned', `${defined}witness w4 ${stranger.key.text}\nquorum w4\n`, refused],
  ['no log', policy.replace(/^log.*\n/, ''), refused],
  [
    'another log of the same name',
    policy.replace(log.key.text, signerFromSeed('log.example', Buffer.alloc(32, 8)).key.text),
    refused,
  ],
  ['another log', policy.replace(log.key.text, otherLog.key.text), refused],
  [
    'the key of the log under another name',
    policy.replace(log.key.text, signerFromSeed('log2.example', Buffer.alloc(32, 9)).key.text),
    refused,
  ],
  ['the key of a witness as that of the log', policy.replace(log.key.text, w1.key.text), refused],
  ['the key of the log as that of a witness', policy.replace(w1.key.text, log.key.text), refused],
  [
    'the key of the log as that of a witness, of the type of cosignatures',
    `log ${log.key.text}\nwitness l ${cosignerFromSeed('log.example', 'ed25519', Buffer.alloc(32, 9)).key.text}\nquorum l\n`,
    refused,
  ],
  [
    'a log key that wraps the public key of a witness',
    policy.replace(log.key.text, signerFromSeed('log.example', Buffer.alloc(32, 1)).key.text),
    refused,
  ],
  ['a key id that is not that of its key', policy.replace(/\+[0-9a-f]{8}\+/, '+00000000+'), refused],
  ['a key id in capitals', policy.replace(/\+[0-9a-f]{8}\+/, (id) => id.toUpperCase()), refused],
  ['a key of another length', policy.replace(w1.key.text, w1.key.text.slice(0, -4)), refused],
  // One witness counted twice.
  [
    'one key under two names',
    `${defined}witness w4 ${w1.key.text}\ngroup g 2 w1 w4\nquorum g\n`,
    refused,
    proof([logLine, c1]),
  ],
  [
    'one public key under two key names',
    `${defined}witness w4 ${renamed.key.text}\ngroup g 2 w1 w4\nquorum g\n`,
    refused,
    proof([logLine, c1, by(renamed)]),
  ],
  ['one witness twice in a group', group('2', 'w1 w1'), refused, proof([logLine, c1])],
  [
    'one witness in two groups',
    `${defined}group a any w1\ngroup b any w1\ngroup g 2 a b\nquorum g\n`,
    refused,
    proof([logLine, c1]),
  ],
  [
    'one witness in a group and beside it',
    `${defined}group a any w1\ngroup g 2 a w1\nquorum g\n`,
    refused,
    proof([logLine, c1]),
  ],
  [
    'one group twice in a group',
    `${defined}group a any w1\ngroup g 2 a a\nquorum g\n`,
    refused,
    proof([logLine, c1]),
  ],
  ['one name for two witnesses', `${defined}witness w1 ${stranger.key.text}\nquorum w1\n`, refused],
  [
    'a group with the name of a witness',
    `${defined}group w1 any w2\nquorum w1\n`,
    refused,
    proof([logLine, c2]),
  ],
  [
    'two groups of one name',
    `${defined}group g 3 w1 w2 w3\ngroup g any w1\nquorum g\n`,
    refused,
    proof([logLine, c1]),
  ],
  // Groups of groups.
  [
    'a group of groups',
    `${defined}group a any w1 w2\ngroup b any w3\ngroup g all a b\nquorum g\n`,
    accepted('both groups are met'),
  ],
  [
    'a group of groups of which one is not met',
    `${defined}group a all w1 w2\ngroup b any w3\ngroup g all a b\nquorum g\n`,
    refused,
    proof([logLine, c1, c3]),
  ],
  [
    'a group that is not met beside the quorum',
    `${defined}group a any w1\ngroup g all w2 w3\nquorum g\n`,
    refused,
    proof([logLine, c1, c2]),
  ],
  ['a group of itself', `${defined}group g any g\nquorum g\n`, refused],
  ['two groups of each other', `${defined}group a any b\ngroup b any a\nquorum a\n`, refused],
  [
    'a group of what is defined below',
    `log ${log.key.text}\ngroup g any w1\nwitness w1 ${w1.key.text}\nquorum g\n`,
    refused,
  ],
  ['a group of none', `${defined}group g any none\nquorum g\n`, refused],
  ['a group named none', `${defined}group none any w1\nquorum none\n`, refused],
  ['a witness named none', `${defined}witness none ${stranger.key.text}\nquorum none\n`, refused],
  ['a group without members', `${defined}group g all\nquorum g\n`, refused],
  ['a group of nobody known', group('any', 'w9'), refused],
  // Thresholds.
  ...[
    '0',
    '-1',
    '+1',
    '01',
    '1.0',
    '1e0',
    '0x1',
    '4',
    '4294967297',
    '18446744073709551617',
    '9'.repeat(400),
    '２',
    '²',
    'ALL',
    'Any',
    'none',
    '1,',
    'NaN',
    'Infinity',
  ].map((count): readonly [string, string, Verdict] => [
    `a threshold of ${count.slice(0, 24)}`,
    group(count),
    refused,
  ]),
  // Quorums.
  ['no quorum', defined, refused],
  ['two quorums', `${policy}quorum g\n`, refused],
  ['two quorums, one of which is none', `${policy}quorum none\n`, refused],
  ['a quorum of an unknown name', `${defined}quorum unknown\n`, refused],
  ['a quorum of two names', `${defined}quorum w1 w2\n`, refused],
  ['a quorum of nothing', `${defined}quorum\n`, refused],
  ['a quorum before its definition', `quorum w1\n${defined}`, refused],
  ['a quorum of a log', `${defined}quorum log.example\n`, refused],
  ['a quorum of the name of a key', `${defined}quorum w1.example\n`, refused],
  ['a quorum of none in capitals', `${defined}quorum NONE\n`, refused],
  ['a quorum in capitals', `${defined}QUORUM w1\n`, refused],
  // Characters.
  ['CRLF', policy.replaceAll('\n', '\r\n'), refused],
  ['NUL', `${policy}\0`, refused],
  ['a byte order mark', `\ufeff${policy}`, refused],
  ['a no-break space', policy.replace('quorum ', 'quorum\u00a0'), refused],
  ['a line separator', policy.replace('\nquorum', '\u2028quorum'), refused],
  ['a vertical tab', policy.replace('quorum ', 'quorum\v'), refused],
  [
    'a name composed in another way',
    `${defined}witness \u00e9 ${stranger.key.text}\nquorum e\u0301\n`,
    refused,
  ],
  ['a name with a zero-width space', `${defined}quorum w\u200b1\n`, refused],
  ['a name in letters that look the same', `${defined}quorum ԝ1\n`, refused],
  [
    'a name that is not UTF-8, and another',
    Buffer.concat([Buffer.from(`${defined}group g\x80 any w1\nquorum g\x81\n`, 'latin1')]),
    refused,
  ],
  [
    'a name that is not UTF-8',
    Buffer.from(`${defined}group g\x80 any w1\nquorum g\x80\n`, 'latin1'),
    accepted('names are bytes'),
  ],
  // Several keys of one log.
  [
    'two keys of the log, of which one has not signed',
    `log ${pq.key.text}\n${policy}`,
    accepted('any key of the log suffices'),
  ],
  [
    'two keys of the log, of which one has signed wrongly',
    `log ${pq.key.text}\n${policy}`,
    refused,
    proof([logLine, by(pq, otherText), c1, c2]),
  ],
  [
    'two keys of the log, of which the first in the note has signed wrongly',
    `${policy}log ${pq.key.text}\n`,
    refused,
    proof([by(pq, otherText), logLine, c1, c2]),
  ],
  [
    'a key of another log that has signed wrongly',
    `${policy}log ${otherLog.key.text}\n`,
    refused,
    proof([logLine, c1, c2, signed(otherLog, otherText)]),
  ],
  [
    'one ML-DSA-44 key as that of a log and of a witness',
    `log ${pq.key.text}\nwitness l ${pq.key.text}\nquorum l\n`,
    accepted('the policy itself names the log as a witness'),
    proof([by(pq)]),
  ],
  [
    'a log that signs with ML-DSA-44',
    policy.replace(log.key.text, pq.key.text),
    accepted('logs may sign with ML-DSA-44'),
    proof([by(pq), c1, c2]),
  ],
  [
    'a log that signs with ML-DSA-44, without a witness',
    policy.replace(log.key.text, pq.key.text),
    refused,
    proof([by(pq)]),
  ],
  // How much it defines.
  ['1,024 definitions', definitions(1024), accepted('there is room for them')],
  ['1,025 definitions', definitions(1025), refused],
  ['more than a mebibyte', `${policy}#${'x'.repeat(1024 * 1024)}\n`, refused],
];
