/** A named secret whose bytes are not ASCII, as no reading of printable characters would find it (contract §5 "Secrets"). */
import { describe, expect, it } from 'vitest';
import { literalRedactor } from '../../../src/guard/redactors.ts';

const secret = 'Zäh-Fluß 日本 Nr-77x';
const { redact, mayContain, isIn } = literalRedactor(secret);
const bytes = Buffer.from(secret);
const marker = '[redacted:secret]';

describe('a named secret that is not ASCII', () => {
  it.each([
    ['base64', bytes.toString('base64')],
    ['base64 one byte on', Buffer.from(`"${secret}"`).toString('base64')],
    ['base64 two bytes on', Buffer.from(`: ${secret}, and`).toString('base64')],
    ['base64url', Buffer.from(`??${secret}>>`).toString('base64url')],
    ['hex', bytes.toString('hex')],
    ['capital hex', bytes.toString('hex').toUpperCase()],
    ['upper case', secret.toUpperCase().replace('SS', 'ß')],
  ])('is taken out of %s, and the words around it stay', (_form, held) => {
    const text = `It is ${held} there.`;
    expect([mayContain(text), isIn(Buffer.from(text))]).toEqual([true, true]);
    const value = String(redact(text).value);
    expect(value).toContain(marker);
    expect([value.startsWith('It is '), value.endsWith(' there.')]).toEqual([true, true]);
    const other = `It is ${Buffer.from('another text of the same length').toString('base64')} there.`;
    expect(redact(other)).toEqual({ value: other, finds: [] });
  });
});
