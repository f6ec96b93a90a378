/**
 * Who is calling, for counting calls: the socket's address, or behind proxies we are told to trust
 * (`COLOPHON_TRUST_PROXY`) the first address from the right of `X-Forwarded-For` that is not one of them.
 * What stands further left was written by the caller and counts for nothing. An IPv6 caller is counted by its
 * /64, since one customer holds 2^64 addresses (contract §0, §4 "Default limits").
 */
import { fault, type Fault } from '../kernel/fault.ts';

/** Eight 16-bit groups; an IPv4 address has the groups of its mapped form, `::ffff:a.b.c.d`. */
type Groups = readonly number[];

interface Network {
  readonly groups: Groups;
  /** Leading bits that must agree, 0 to 128. */
  readonly bits: number;
}

export type TrustedProxies = readonly Network[];

const variable = 'COLOPHON_TRUST_PROXY';

/** Reads a list of addresses and CIDR blocks, separated by commas; a `Fault` names the item that is neither. */
export function parseTrustedProxies(text: string): TrustedProxies | Fault {
  const networks: Network[] = [];
  for (const item of text.split(',')) {
    const network = item.trim();
    if (network === '') continue;
    const [address = '', prefix, ...rest] = network.split('/');
    const groups = parseAddress(address);
    const width = address.includes(':') ? 128 : 32;
    const bits = prefix === undefined ? width : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
    if (groups === undefined || rest.length > 0 || !(bits <= width)) {
      return fault(
        'invalid_request',
        `${variable} cannot be read at "${network}".`,
        `Set ${variable} to addresses or CIDR blocks separated by commas, such as 10.0.0.0/8, ::1.`,
      );
    }
    networks.push({ groups, bits: bits + 128 - width });
  }
  return networks;
}

/**
 * The caller's address in canonical text: `192.0.2.7`, or all eight groups of an IPv6 address without
 * compression. `remote` is the socket's address and `forwardedFor` the header's value; an item that is no
 * address ends the walk at the proxy that passed it on.
 */
export function clientAddress(
  remote: string,
  forwardedFor: string | undefined,
  trusted: TrustedProxies,
): string {
  const hops = trusted.length === 0 || forwardedFor === undefined ? [] : forwardedFor.split(',');
  if (hops.length === 0 && remote.includes('.')) {
    const low = remote.startsWith('::ffff:') ? remote.slice(7) : remote;
    if (!low.includes(':')) return low;
  }
  let client = parseAddress(remote);
  if (client === undefined) return 'unknown';
  for (let i = hops.length - 1; i >= 0 && isTrusted(client, trusted); i--) {
    const hop = parseAddress(withoutPort((hops[i] as string).trim()));
    if (hop === undefined) break;
    client = hop;
  }
  return formatAddress(client);
}

/** What calls are counted under: an IPv4 address itself, of an IPv6 address (as above) its first 64 bits. */
export function clientKey(address: string): string {
  const groups = address.split(':');
  return groups.length === 8 ? `${groups.slice(0, 4).join(':')}::/64` : address;
}

function isTrusted(address: Groups, trusted: TrustedProxies): boolean {
  return trusted.some(({ groups, bits }) => agree(address, groups, bits));
}

function agree(a: Groups, b: Groups, bits: number): boolean {
  for (let i = 0; i * 16 < bits; i++) {
    const mask = (0xffff << Math.max(0, 16 * (i + 1) - bits)) & 0xffff;
    if ((((a[i] as number) ^ (b[i] as number)) & mask) !== 0) return false;
  }
  return true;
}

/** `192.0.2.7:4711` and `[2001:db8::1]:4711`, as some proxies write them. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text);
  if (bracketed !== null) return bracketed[1] as string;
  return /^[\d.]+:\d{1,5}$/.test(text) ? text.slice(0, text.indexOf(':')) : text;
}

function parseAddress(text: string): Groups | undefined {
  if (text.length > 64) return undefined;
  if (text.includes(':')) return parseIpv6(text);
  const low = parseIpv4(text);
  return low && [0, 0, 0, 0, 0, 0xffff, ...low];
}

function parseIpv6(text: string): Groups | undefined {
  const zone = text.indexOf('%');
  const end = zone === -1 ? text.length : zone;
  const groups: number[] = [];
  let gap = text.startsWith('::') ? 0 : -1;
  let at = gap === 0 ? 2 : 0;
  while (at < end) {
    const from = at;
    let group = 0;
    for (let digit = hexDigit(text, at); digit !== -1 && at < end; digit = hexDigit(text, ++at)) {
      group = group * 16 + digit;
    }
    if (at < end && text.charCodeAt(at) === 0x2e) {
      const low = parseIpv4(text.slice(from, end));
      if (low === undefined) return undefined;
      groups.push(...low);
      break;
    }
    if (at === from || at - from > 4) return undefined;
    groups.push(group);
    if (at === end) break;
    if (text.charCodeAt(at++) !== 0x3a || at === end) return undefined;
    if (text.charCodeAt(at) !== 0x3a) continue;
    if (gap !== -1) return undefined;
    gap = groups.length;
    at++;
  }
  const missing = 8 - groups.length;
  if (gap === -1) return missing === 0 ? groups : undefined;
  if (missing < 1) return undefined;
  return [...groups.slice(0, gap), ...Array<number>(missing).fill(0), ...groups.slice(gap)];
}

function hexDigit(text: string, at: number): number {
  const c = text.charCodeAt(at);
  if (c >= 0x30 && c <= 0x39) return c - 0x30;
  const lower = c | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function parseIpv4(text: string): [number, number] | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  const [a, b, c, d] = match.slice(1).map(Number) as [number, number, number, number];
  if (Math.max(a, b, c, d) > 255) return undefined;
  return [a * 256 + b, c * 256 + d];
}

function formatAddress(groups: Groups): string {
  const isIpv4 = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  if (!isIpv4) return groups.map((group) => group.toString(16)).join(':');
  const [high, low] = [groups[6] as number, groups[7] as number];
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/** Whether an address, or a host as a URL names it, is this machine itself. */
export function isLoopback(host: string): boolean {
  return (
    host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host) || /^(?:0:){7}1$/.test(host)
  );
}
