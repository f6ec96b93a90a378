/** The `add-checkpoint` request and what a witness decides on it, status by status (C2SP tlog-witness). */
import { describe, expect, test } from 'vitest';
import { emptyRoot } from '../../../src/ledger/merkle.ts';
import { cosignerFromSeed } from '../../../src/ledger/cosignature.ts';
import { signerFromSeed, type NoteSigner } from '../../../src/ledger/note.ts';
import { isRefusal } from '../../../src/ledger/refusal.ts';
import {
  decideAddCheckpoint,
  formatAddCheckpoint,
  openWitnessed,
  parseAddCheckpoint,
} from '../../../src/ledger/witness.ts';
import { history, WitnessedLog } from '../../support/witnessed-log.ts';
import { flipBit, leafOf, oracleConsistency, oracleRoot, vectorBytes, vectorText } from './support.ts';

test('the request of the specification is read, and written byte for byte', () => {
  const request = parseAddCheckpoint(vectorBytes('witness/add-checkpoint.request'));
  if (isRefusal(request)) throw new Error(request.refused);
  expect([request.oldSize, request.proof.length]).toEqual([20852014, 4]);
  expect(request.note.split('\n').slice(0, 2)).toEqual(['example.com/behind-the-sofa', '20852163']);
  expect(formatAddCheckpoint(request)).toBe(vectorText('witness/add-checkpoint.request'));
});

const hash = 'PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=';
const oldLine = 'the first line is not "old" and a size';
test.each([
  ['', 'the request has no empty line before its checkpoint'],
  ['old 0', 'the request has no empty line before its checkpoint'],
  ['old 0\nlog.example\n1\n', 'the request has no empty line before its checkpoint'],
  ['\n\nnote', oldLine],
  ['old \n\nnote', oldLine],
  ['old 01\n\nnote', oldLine],
  ['old -1\n\nnote', oldLine],
  ['old 1 \n\nnote', oldLine],
  ['old  1\n\nnote', oldLine],
  ['Old 1\n\nnote', oldLine],
  ['old 0x1\n\nnote', oldLine],
  ['old 9007199254740993\n\nnote', oldLine],
  [`${hash}\nold 1\n\nnote`, oldLine],
  ['old 1\r\n\r\nnote', 'the request has no empty line before its checkpoint'],
  ['old 1\nAAAA\n\nnote', 'line 2 is not a hash of 32 bytes in base64'],
  [`old 1\n${hash}\n${hash} \n\nnote`, 'line 3 is not a hash of 32 bytes in base64'],
  [`old 1\n${hash.replace('=', '')}\n\nnote`, 'line 2 is not a hash of 32 bytes in base64'],
  [`old 1\n${`${hash}\n`.repeat(64)}\nnote`, 'the proof has more than 63 lines'],
])('a malformed request is refused: %j', (body, refused) => {
  expect(parseAddCheckpoint(Buffer.from(body))).toEqual({ refused });
});

test('a request that is not UTF-8 is refused; 63 lines of proof are taken', () => {
  expect(parseAddCheckpoint(Buffer.from('old 0\n\n\xff', 'latin1'))).toEqual({
    refused: 'the request is not UTF-8',
  });
  expect(parseAddCheckpoint(Buffer.from(`old 1\n${`${hash}\n`.repeat(63)}\nnote`))).toMatchObject({
    oldSize: 1,
    note: 'note',
  });
});

describe('the checkpoint of a request', () => {
  const log = new WitnessedLog('log.example', 1);
  const other = new WitnessedLog('other.example', 2);
  const impostor = new WitnessedLog('log.example', 3);
  const note = log.checkpoint(history(5));

  test('is opened with the key of its log, and keeps the signatures of that log alone', () => {
    const stranger = impostor.checkpoint(history(5)).split('\n\n')[1] as string;
    expect(openWitnessed(note + stranger, [other.signer.key, log.signer.key])).toMatchObject({
      checkpoint: { origin: 'log.example', size: 5 },
      text: `${note.split('\n\n')[0]}\n`,
      note,
    });
  });

  test.each([
    ['an unknown origin', other.checkpoint(history(5)), 404, 'the log other.example is not witnessed here'],
    ['the key of a stranger', impostor.checkpoint(history(5)), 403, 'no known key has signed the note'],
    ['a wrong signature', note.replace('\n5\n', '\n6\n'), 403, 'the signature of log.example is wrong'],
    ['no signature', `${note.split('\n\n')[0]}\n\n`, 400, 'the note has a malformed signature line'],
    ['no note', 'log.example\n', 400, 'the note is malformed'],
    [
      'a text that is too large for evidence',
      log.signer.sign(`${note.split('\n\n')[0]}\n${'x'.repeat(12 * 1024)}\n`),
      400,
      'the checkpoint has more than 12288 bytes',
    ],
    ['a malformed signature line', `${note}x\n`, 400, 'the note has a malformed signature line'],
    [
      'a text that is no checkpoint',
      log.signer.sign('log.example\nfive\n'),
      400,
      'the checkpoint has no size',
    ],
  ])('with %s is refused', (_what, given, status, reason) => {
    expect(openWitnessed(given, [log.signer.key])).toEqual({ status, reason });
  });
});

const leaves = (count: number, fork?: number): Uint8Array[] => history(count, fork).map(leafOf);
const head = (count: number, fork?: number): { size: number; root: Uint8Array } => ({
  size: count,
  root: oracleRoot(leaves(count, fork)),
});
const proof = (from: number, to: number): Uint8Array[] => oracleConsistency(from, leaves(to));

describe('a witness', () => {
  test.each([
    ['cosigns a first checkpoint', 0, [], head(5), undefined],
    ['cosigns an empty tree', 0, [], { size: 0, root: emptyRoot }, undefined],
    ['cosigns a first entry after an empty tree', 0, [], head(1), { size: 0, root: emptyRoot }],
    ['cosigns what grew', 5, proof(5, 8), head(8), head(5)],
    ['cosigns the same again', 8, [], head(8), head(8)],
  ] as const)('%s', (_what, oldSize, given, checkpoint, record) => {
    expect(decideAddCheckpoint({ oldSize, proof: given }, checkpoint, record)).toEqual({ status: 200 });
  });

  test.each([
    ['an old size beyond the checkpoint', 9, [], head(8), head(5), 400, false],
    ['the same of a tree that was forked', 9, [], head(8, 3), head(8), 400, true],
    ['an old size that is not the recorded one', 4, proof(4, 8), head(8), head(5), 409, false],
    ['no old size where there is a record', 0, [], head(8), head(5), 409, false],
    ['an old size where there is no record', 5, proof(5, 8), head(8), undefined, 409, false],
    ['a smaller tree', 4, [], head(4), head(5), 409, false],
    ['another tree of the recorded size', 5, [], head(5, 3), head(5), 409, true],
    ['the same with an old size of 0', 0, [], head(5, 3), head(5), 409, true],
    [
      'an empty tree with a root of its own',
      0,
      [],
      { size: 0, root: Buffer.alloc(32) },
      undefined,
      422,
      false,
    ],
    ['a proof where nothing is to be proven', 0, proof(5, 8), head(8), undefined, 422, false],
    ['a proof of a tree with itself', 5, proof(5, 8), head(5), head(5), 422, false],
    ['no proof', 5, [], head(8), head(5), 422, false],
    ['a proof of other sizes', 5, proof(4, 8), head(8), head(5), 422, false],
    ['a proof with a hash too many', 5, [...proof(5, 8), leafOf(1)], head(8), head(5), 422, false],
    ['a proof for a tree that was forked before', 5, proof(5, 8), head(8, 3), head(5), 422, false],
    [
      'a tree that forked before what was cosigned, by its own proof',
      5,
      proof(5, 8),
      head(8),
      head(5, 3),
      422,
      true,
    ],
    ['the same with a hash too many', 5, [...proof(5, 8), leafOf(1)], head(8), head(5, 3), 422, false],
    ['the same with a hash too few', 5, proof(5, 8).slice(1), head(8), head(5, 3), 422, false],
    [
      'the same with a hash changed',
      5,
      [leafOf(1), ...proof(5, 8).slice(1)],
      head(8),
      head(5, 3),
      422,
      false,
    ],
    ['the same from another old size', 4, proof(4, 8), head(8), head(5, 3), 409, false],
    [
      'a fork at a power of two, whose proof leaves the old root out',
      4,
      proof(4, 8),
      head(8),
      head(4, 3),
      422,
      false,
    ],
    [
      'the same with the old root in front',
      4,
      [oracleRoot(leaves(4)), ...proof(4, 8)],
      head(8),
      head(4, 3),
      422,
      true,
    ],
    ['the recorded root in front', 4, [oracleRoot(leaves(4)), ...proof(4, 8)], head(8), head(4), 422, false],
    [
      'an empty tree with a root, after a record',
      0,
      [],
      { size: 0, root: Buffer.alloc(32) },
      head(5),
      409,
      true,
    ],
  ] as const)('refuses %s', (_what, oldSize, given, checkpoint, record, status, isFork) => {
    expect(decideAddCheckpoint({ oldSize, proof: given }, checkpoint, record)).toMatchObject({
      status,
      isFork,
    });
  });
});

describe('a request', () => {
  const log = new WitnessedLog('log.example', 1);
  const body = log.request(history(8), 5);
  const [top = '', text = '', signature = ''] = body.split('\n\n');
  const [old = '', ...hashes] = top.split('\n');
  const status = (given: string | Uint8Array): number => {
    const request = parseAddCheckpoint(Buffer.from(given as string));
    if (isRefusal(request)) return 400;
    const opened = openWitnessed(request.note, [log.signer.key]);
    return 'status' in opened
      ? opened.status
      : decideAddCheckpoint(request, opened.checkpoint, head(5)).status;
  };
  const written = (lines: readonly string[], note = `${text}\n\n${signature}`): string =>
    `${[old, ...lines].join('\n')}\n\n${note}`;
  const signedBy = (signer: NoteSigner, of = `${text}\n`): string => signer.sign(of).slice(of.length + 1);
  const seed = Buffer.alloc(32, 1);
  const stranger = signerFromSeed('stranger.example', Buffer.alloc(32, 7));
  const [first = '', second = '', ...rest] = hashes;

  test('that grows a log is cosigned', () => {
    expect([hashes.length, status(body), status(written(hashes))]).toEqual([4, 200, 200]);
  });

  // Harmless ones are those that answer 200: they do not change what the log has signed.
  test.each([
    ['a signature of a stranger as well', `${body}${signedBy(stranger)}`, 200],
    [
      'a signature of a stranger before',
      written(hashes, `${text}\n\n${signedBy(stranger)}${signature}`),
      200,
    ],
    [
      'a cosignature as well',
      `${body}${cosignerFromSeed('w.example', 'ed25519', seed).cosign(`${text}\n`, 1) as string}`,
      200,
    ],
    [
      'an extension line that the log has signed',
      written(hashes, log.signer.sign(`${text}\nextension\n`)),
      200,
    ],
    [
      'an extension line that the log has not signed',
      written(hashes, `${text}\nextension\n\n${signature}`),
      403,
    ],
    ['100 signatures', `${body}${signedBy(stranger).repeat(99)}`, 200],
    ['101 signatures', `${body}${signedBy(stranger).repeat(100)}`, 400],
    ['only a signature of a stranger', written(hashes, `${text}\n\n${signedBy(stranger)}`), 403],
    [
      'the name of the log on the key of a stranger',
      written(hashes, `${text}\n\n${signedBy(signerFromSeed('log.example', Buffer.alloc(32, 7)))}`),
      403,
    ],
    [
      'a cosignature with the key of the log',
      written(
        hashes,
        `${text}\n\n${cosignerFromSeed('log.example', 'ed25519', seed).cosign(`${text}\n`, 1) as string}`,
      ),
      403,
    ],
    [
      'a text that is the message of a cosignature',
      written(hashes, log.signer.sign(`cosignature/v1\ntime 1\n${text}\n`)),
      400,
    ],
    [
      'a wrong signature before the right one',
      written(hashes, `${text}\n\n${signedBy(log.signer, 'log.example\n9\n')}${signature}`),
      403,
    ],
    [
      'the checkpoint of another log',
      written(hashes, new WitnessedLog('other.example', 1).checkpoint(history(8))),
      404,
    ],
    ['the checkpoint of a fork', written(hashes, log.checkpoint(history(8, 4))), 422],
    ['the checkpoint of a smaller tree', written([], log.checkpoint(history(4))), 400],
    ['the checkpoint of a larger tree', written(hashes, log.checkpoint(history(9))), 422],
    ['an older size', body.replace('old 5', 'old 4'), 409],
    ['no older size', body.replace('old 5', 'old 0'), 409],
    ['two older sizes', body.replace('old 5\n', 'old 5\nold 5\n'), 400],
    ['a hash less', written(rest), 422],
    ['a hash twice', written([first, ...hashes]), 422],
    ['two hashes exchanged', written([second, first, ...rest]), 422],
    ['a hash more', written([...hashes, first]), 422],
    ['64 hashes', written(Array.from({ length: 64 }, () => first)), 400],
    ['a hash in base64 for URLs', written([first.replaceAll(/[+/=]/g, '-'), second, ...rest]), 400],
    ['a hash without padding', written([first.replace('=', ''), second, ...rest]), 400],
    ['a hash in hex', written([Buffer.from(first, 'base64').toString('hex'), second, ...rest]), 400],
    ['a space behind a hash', written([`${first} `, second, ...rest]), 400],
    ['CRLF', body.replaceAll('\n', '\r\n'), 400],
    ['CRLF in the checkpoint', written(hashes, `${text}\r\n\r\n${signature}`), 400],
    ['a byte order mark', `\ufeff${body}`, 400],
    ['NUL behind its end', `${body}\0`, 400],
    ['an empty line behind its end', `${body}\n`, 400],
    ['an empty line more', body.replace('\n\n', '\n\n\n'), 400],
    ['no empty line', body.replace('\n\n', '\n'), 400],
    ['a second request behind it', body + body, 400],
  ])('with %s is answered as the letter has it', (_what, given, expected) => {
    expect(status(given)).toBe(expected);
  });

  test('with any bit changed, or cut off anywhere, is not cosigned', () => {
    const bytes = Buffer.from(body);
    const cosigned: string[] = [];
    for (let bit = 0; bit < bytes.length * 8; bit++)
      if (status(flipBit(bytes, bit)) === 200) cosigned.push(`bit ${bit}`);
    for (let length = 0; length < bytes.length; length++)
      if (status(bytes.subarray(0, length)) === 200) cosigned.push(`length ${length}`);
    expect(cosigned).toEqual([]);
  });
});

test('a request with any character changed, dropped or doubled is not cosigned', () => {
  const log = new WitnessedLog('log.example', 1);
  const body = log.request(history(8), 5);
  const status = (given: string): number => {
    const request = parseAddCheckpoint(Buffer.from(given));
    if (isRefusal(request)) return 400;
    const opened = openWitnessed(request.note, [log.signer.key]);
    return 'status' in opened
      ? opened.status
      : decideAddCheckpoint(request, opened.checkpoint, head(5)).status;
  };
  expect(status(body)).toBe(200);
  const cosigned: string[] = [];
  for (let at = 0; at < body.length; at++)
    for (const instead of [
      '',
      body[at] === 'A' ? 'B' : 'A',
      '\n',
      `${body[at] as string}${body[at] as string}`,
    ]) {
      const changed = body.slice(0, at) + instead + body.slice(at + 1);
      if (changed !== body && status(changed) === 200) cosigned.push(changed);
    }
  expect(cosigned).toEqual([]);
});
