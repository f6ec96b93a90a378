import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { clientAddress, clientKey, parseTrustedProxies } from '../../../src/guard/client-address.ts';
import type { TrustedProxies } from '../../../src/guard/client-address.ts';
import { isFault } from '../../../src/kernel/fault.ts';

function trust(text: string): TrustedProxies {
  const trusted = parseTrustedProxies(text);
  if (isFault(trusted)) throw new Error(trusted.message);
  return trusted;
}

describe('COLOPHON_TRUST_PROXY', () => {
  it.each([
    '',
    '10.0.0.0/8',
    '10.1.2.3',
    ' 10.0.0.0/8 , ::1 ',
    '2001:db8::/32',
    '0.0.0.0/0',
    '::/0',
    '::ffff:10.0.0.0/104',
  ])('accepts %j', (text) => {
    expect(isFault(parseTrustedProxies(text))).toBe(false);
  });

  it.each([
    ['loopback', 'loopback'],
    ['10.0.0.0/33', '10.0.0.0/33'],
    ['10.0.0.0/8, 10.0.0.256', '10.0.0.256'],
    ['::1/129', '::1/129'],
    ['10.0.0.0/', '10.0.0.0/'],
    ['10.0.0.0/8/8', '10.0.0.0/8/8'],
    ['10.0.0.0/-1', '10.0.0.0/-1'],
    ['1:2:3', '1:2:3'],
  ])('refuses %j and names %j', (text, item) => {
    expect(parseTrustedProxies(text)).toMatchObject({
      fault: 'invalid_request',
      message: `COLOPHON_TRUST_PROXY cannot be read at "${item}".`,
      fix: 'Set COLOPHON_TRUST_PROXY to addresses or CIDR blocks separated by commas, such as 10.0.0.0/8, ::1.',
    });
  });
});

describe('the caller', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:207', '192.0.2.7'],
    ['2001:db8::1', '2001:db8:0:0:0:0:0:1'],
    ['2001:0DB8:0:0:1::', '2001:db8:0:0:1:0:0:0'],
    ['::', '0:0:0:0:0:0:0:0'],
    ['::1', '0:0:0:0:0:0:0:1'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0:0:0:c000:221'],
    ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
    ['', 'unknown'],
    ['1:2:3:4:5:6:7', 'unknown'],
    ['1::2::3', 'unknown'],
    [':::', 'unknown'],
    ['12345::', 'unknown'],
    ['1:2:3:4:5:6:7:8:9', 'unknown'],
    ['::1.2.3', 'unknown'],
  ])('at socket address %j is %j', (remote, expected) => {
    expect(clientAddress(remote, undefined, [])).toBe(expected);
  });

  it('is the socket address when no proxy is trusted, whatever the header says', () => {
    expect(clientAddress('192.0.2.7', '203.0.113.9', [])).toBe('192.0.2.7');
    expect(clientAddress('192.0.2.7', '203.0.113.9', trust('10.0.0.0/8'))).toBe('192.0.2.7');
  });

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['1.1.1.1, 203.0.113.9, 10.9.9.9', '203.0.113.9'],
    ['10.0.0.1, 203.0.113.9, 10.9.9.9,10.8.8.8', '203.0.113.9'],
    ['10.0.0.1, 10.0.0.2', '10.0.0.1'],
    ['203.0.113.9:52100', '203.0.113.9'],
    ['[2001:db8::9]:52100', '2001:db8:0:0:0:0:0:9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['spoofed, 203.0.113.9', '203.0.113.9'],
    ['203.0.113.9, unknown', '10.1.1.1'],
    ['203.0.113.9, 10.7.7.7, , 10.9.9.9', '10.9.9.9'],
    ['203.0.113.9,', '10.1.1.1'],
    ['', '10.1.1.1'],
  ])('behind a trusted proxy with X-Forwarded-For %j is %j', (header, expected) => {
    expect(clientAddress('::ffff:10.1.1.1', header, trust('10.0.0.0/8, 2001:db8:ffff::/48'))).toBe(expected);
  });

  it('passes through trusted IPv6 proxies, by the bits of their block', () => {
    const trusted = trust('2001:db8:8000::/33');
    expect(clientAddress('2001:db8:8001::1', '203.0.113.9', trusted)).toBe('203.0.113.9');
    expect(clientAddress('2001:db8:7fff::1', '203.0.113.9', trusted)).toBe('2001:db8:7fff:0:0:0:0:1');
  });

  it('of every IPv4 network is no IPv6 address', () => {
    expect(clientAddress('2001:db8::1', '203.0.113.9', trust('0.0.0.0/0'))).toBe('2001:db8:0:0:0:0:0:1');
  });

  test('cannot choose its own address by writing the header', () => {
    const spoofed = fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string({ maxLength: 12 })), { maxLength: 5 });
    fc.assert(
      fc.property(spoofed, (items) => {
        // What the trusted proxy appends is the last item; the rest came with the request.
        const header = [...items, '203.0.113.9'].join(', ');
        expect(clientAddress('10.1.1.1', header, trust('10.0.0.0/8'))).toBe('203.0.113.9');
      }),
    );
  });

  test('has one canonical address however it is written', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const once = clientAddress(text, undefined, []);
        expect(once).not.toBe('unknown');
        expect(clientAddress(once, undefined, [])).toBe(once);
        if (once.includes(':')) expect(`[${once}]`).toMatch(/^\[[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){7}\]$/);
      }),
    );
  });
});

describe('what a caller is counted under', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:0:7:1:2:3:4', '2001:db8:0:7::/64'],
    ['unknown', 'unknown'],
  ])('is, for %j, %j', (address, key) => {
    expect(clientKey(address)).toBe(key);
  });
});
