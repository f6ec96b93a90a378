import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { scanNow, scanSecrets } from '../../src/app/outside/secret-scan.ts';
import { encodeShare, fingerprintOf } from '../../src/domain/capabilities/share-codec.ts';
import { disguises, type Disguise } from '../support/disguises.ts';

const token = encodeShare({ id: 1, secret: Buffer.alloc(32, 7) }, 1_900_000_000, randomBytes(10)).token;
const padding = 'A tide table lists the hours. '.repeat(2000);

describe('a long text', () => {
  it.each(['percent-encoded', 'base64', 'broken over lines', 'wide letters'])(
    'with a token (%s) is scrubbed in a worker as on the main thread',
    async (name) => {
      const held = `${padding}${(disguises[name] as Disguise)(token)} ${padding}`;
      for (const value of [held, { slug: 'notes', parts: [held] }]) {
        const scan = await scanSecrets(value);
        expect(scan).toEqual(scanNow(value));
        expect(scan.tokens).toEqual([fingerprintOf(token)]);
        expect(JSON.stringify(scan.scrubbed.value)).toContain(fingerprintOf(token));
      }
    },
  );

  it('without a token is returned unchanged', async () => {
    const { scrubbed, tokens } = await scanSecrets(padding);
    expect([scrubbed.value === padding, scrubbed.finds, tokens]).toEqual([true, [], []]);
  });
});
