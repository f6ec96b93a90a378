/** Which checkpoints a monitor reads, and whose signature they must bear. */
import { describe, expect, test } from 'vitest';
import { signerFromSeed } from '../../../src/ledger/note.ts';
import type { LogFetch } from '../../../verify/index.ts';
import { Unreachable } from '../../../verify/monitor-fetch.ts';
import { monitoredKey, readNotes, type KeySources } from '../../../verify/monitor-key.ts';
import { logFiles, serve, signer } from './support.ts';
import { historyTexts } from '../../support/monitored-log.ts';

const files = logFiles(historyTexts(3));
const note = Buffer.from(files.get('checkpoint') as Uint8Array).toString();
const newer = Buffer.from(logFiles(historyTexts(5)).get('checkpoint') as Uint8Array).toString();
const other = signerFromSeed('ledger.example/colophon', Buffer.alloc(32, 9)).key.text;
const foreign = signerFromSeed('foreign.example', Buffer.alloc(32, 9)).key.text;
const nothing: KeySources = { given: [], policy: undefined, pinned: undefined };

function reader(newest: () => Uint8Array | undefined): LogFetch {
  return async (path) => (path === 'checkpoint?newest=1' ? newest() : serve(files)(path));
}

describe('the checkpoints that a log serves', () => {
  test('are the newest with a quorum and the newest signed one', async () => {
    expect(await readNotes(reader(() => Buffer.from(newer)))).toEqual({ notes: [note, newer] });
    expect(await readNotes(reader(() => Buffer.from(note)))).toEqual({ notes: [note] });
  });

  test('are one where the server does not know of the newest', async () => {
    expect(await readNotes(serve(files))).toEqual({ notes: [note] });
    const refusing = reader(() => {
      throw new Unreachable('no such parameter', 400);
    });
    expect(await readNotes(refusing)).toEqual({ notes: [note] });
  });

  test('are judged as far as they can be read, whatever the server fails for', async () => {
    const overloaded = new Unreachable('it is overloaded', 503);
    const failing = reader(() => {
      throw overloaded;
    });
    expect(await readNotes(failing)).toEqual({ notes: [note], failure: overloaded });
    const hiding: LogFetch = async (path) => {
      if (path === 'checkpoint') throw overloaded;
      return Buffer.from(newer);
    };
    expect(await readNotes(hiding)).toEqual({ notes: [newer], failure: overloaded });
  });

  test('are none where the server fails for both or has no log', async () => {
    const failing: LogFetch = async () => {
      throw new Unreachable('it is overloaded', 503);
    };
    await expect(readNotes(failing)).rejects.toThrow('it is overloaded');
    await expect(readNotes(serve(new Map()))).rejects.toThrow('it serves no /checkpoint');
  });
});

describe('the key of a monitored log', () => {
  const keyOf = async (sources: Partial<KeySources>): Promise<readonly [string, string]> => {
    const { text, by } = await monitoredKey(serve(files), note, { ...nothing, ...sources });
    return [text, by];
  };

  test('is that of the log itself at first, and then the pinned one', async () => {
    expect(await keyOf({})).toEqual([signer.key.text, 'first use']);
    expect(await keyOf({ pinned: other })).toEqual([other, 'pinned']);
  });

  test('is the given one that signed, or that has its name', async () => {
    expect(await keyOf({ given: [foreign, other, signer.key.text] })).toEqual([signer.key.text, 'given']);
    expect(await keyOf({ given: [foreign, other], pinned: signer.key.text })).toEqual([other, 'given']);
    await expect(keyOf({ given: [foreign] })).rejects.toThrow('none of the given keys is of the log');
  });

  test("is the policy's, unless it names no log", async () => {
    const policy = (lines: string): Uint8Array => Buffer.from(`${lines}quorum none\n`);
    expect(await keyOf({ policy: policy(`log ${signer.key.text}\n`), pinned: other })).toEqual([
      signer.key.text,
      'policy',
    ]);
    expect(await keyOf({ policy: policy(''), pinned: other })).toEqual([other, 'pinned']);
    await expect(keyOf({ policy: policy(`log ${foreign}\n`) })).rejects.toThrow('the policy names no log');
  });

  test('has no invisible characters in its name', async () => {
    const copy = new Map(files);
    copy.set(
      '.well-known/colophon-key',
      Buffer.from(signerFromSeed('a\u202eb', Buffer.alloc(32, 9)).key.text),
    );
    await expect(monitoredKey(serve(copy), note, nothing)).rejects.toThrow(/invisible characters|name\+hash/);
  });
});
