import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { egressUrl, literalAddress, mayConnect, parseEgressAllow } from '../../../src/guard/egress.ts';
import { isFault } from '../../../src/kernel/fault.ts';

const closed = [
  ['this network', '0.0.0.0'],
  ['loopback', '127.0.0.1'],
  ['loopback beyond .1', '127.255.255.254'],
  ['private 10', '10.0.0.1'],
  ['private 172.16', '172.31.255.255'],
  ['private 192.168', '192.168.1.1'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['a metadata service inside it', '100.100.100.200'],
  ['link-local', '169.254.1.1'],
  ['the metadata service', '169.254.169.254'],
  ['a metadata service at a protocol assignment', '192.0.0.192'],
  ['the host of Azure machines', '168.63.129.16'],
  ['documentation 1', '192.0.2.1'],
  ['documentation 2', '198.51.100.1'],
  ['documentation 3', '203.0.113.1'],
  ['benchmarking', '198.18.0.1'],
  ['the 6to4 relay', '192.88.99.1'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified v6', '::'],
  ['loopback v6', '::1'],
  ['mapped loopback', '::ffff:127.0.0.1'],
  ['mapped metadata in hex', '::ffff:a9fe:a9fe'],
  ['compatible loopback', '::127.0.0.1'],
  ['translated loopback', '::ffff:0:127.0.0.1'],
  ['NAT64 of a private address', '64:ff9b::10.0.0.1'],
  ['NAT64 of a public address', '64:ff9b::8.8.8.8'],
  ['local NAT64', '64:ff9b:1::10.0.0.1'],
  ['6to4 of a private address', '2002:0a00:0001::1'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['unique local', 'fd00:ec2::254'],
  ['link-local v6', 'fe80::1'],
  ['link-local v6 with a zone', 'fe80::1%eth0'],
  ['site-local', 'fec0::1'],
  ['multicast v6', 'ff02::1'],
  ['documentation v6', '2001:db8::1'],
  ['new documentation v6', '3fff::1'],
  ['discard', '100::1'],
  ['segment routing', '5f00::1'],
  ['not yet assigned', '4000::1'],
  ['a name', 'example.org'],
  ['nothing', ''],
] as const;

describe('the egress guard', () => {
  it.each(closed)('does not connect to %s (%s)', (_what, address) => {
    expect(mayConnect(address, [])).toBe(false);
  });

  it.each(['8.8.8.8', '93.184.216.34', '2606:4700:4700::1111', '::ffff:8.8.8.8'])(
    'connects to the public address %s',
    (address) => {
      expect(mayConnect(address, [])).toBe(true);
    },
  );

  it('never connects to an IPv4 address inside 10/8, 127/8 or 192.168/16, plain or mapped', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.constantFrom('10', '127', '192.168'), octet, octet, octet, (start, a, b, c) => {
        const address = start === '192.168' ? `192.168.${a}.${b}` : `${start}.${a}.${b}.${c}`;
        return !mayConnect(address, []) && !mayConnect(`::ffff:${address}`, []);
      }),
    );
  });

  it('allows the addresses that the operator named, and no others', () => {
    const allow = parseEgressAllow('127.0.0.1, 10.1.0.0/16,::1');
    if (isFault(allow)) throw new Error(allow.message);
    const asked = ['127.0.0.1', '127.0.0.2', '10.1.9.9', '10.2.0.1', '::1', '::2', '::ffff:127.0.0.1'];
    expect(asked.map((address) => mayConnect(address, allow))).toEqual([
      true,
      false,
      true,
      false,
      true,
      false,
      true,
    ]);
  });

  it.each(['10.0.0.0/33', 'localhost', '10/8', '0x7f.1', '::1/129', '10.0.0.1/8/8'])(
    'names the part of the setting that it cannot read: %s',
    (text) => {
      const read = parseEgressAllow(`127.0.0.1, ${text}`);
      expect(isFault(read) && read.message).toBe(`COLOPHON_EGRESS_ALLOW cannot be read at "${text}".`);
    },
  );

  it.each([
    'ftp://example.org/',
    'file:///etc/passwd',
    'gopher://example.org/',
    'data:text/html,x',
    'javascript:alert(1)',
    '//example.org/',
    'example.org',
    '',
    'https://user@example.org/',
    'https://user:word@example.org/',
    'http:///example.org/',
    'http:example.org',
    'https:\\\\example.org',
    'http://example.org:22/',
    'http://example.org:25/',
    'http://example.org:6000/',
    `https://example.org/${'x'.repeat(5000)}`,
  ])('rejects a URL like %s', (text) => {
    const url = egressUrl(text);
    expect(isFault(url) && url.fault).toBe('runner_failed');
  });

  it.each([
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://127.1/', '127.0.0.1'],
    ['http://[::ffff:7f00:1]/', '::ffff:7f00:1'],
    ['http://①②⑦.0.0.1/', '127.0.0.1'],
  ])('detects the address behind %s', (text, address) => {
    const url = egressUrl(text);
    if (isFault(url)) throw new Error(url.message);
    expect(literalAddress(url.hostname)).toBe(address);
    expect(mayConnect(address, [])).toBe(false);
  });
});
