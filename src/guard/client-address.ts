/**
 * The client address that rate limits count by: the socket's address, or behind trusted proxies
 * (`COLOPHON_TRUST_PROXY`) the rightmost address of `X-Forwarded-For` that is not a trusted proxy. Items further left
 * are written by the caller and ignored. IPv6 clients are counted by their /64 (contract §0, §4 "Default limits").
 */
import ipaddr from 'ipaddr.js';
import { fault, type Fault } from '../kernel/fault.ts';

/** IPv4 addresses are compared in their mapped form, `::ffff:a.b.c.d`, so that `bits` is 0 to 128. */
type Network = readonly [address: ipaddr.IPv6, bits: number];

export type TrustedProxies = readonly Network[];

const variable = 'COLOPHON_TRUST_PROXY';

/** Reads a list of addresses and CIDR blocks, separated by commas; a `Fault` names the item that is neither. */
export function parseTrustedProxies(text: string): TrustedProxies | Fault {
  const networks: Network[] = [];
  for (const item of text.split(',')) {
    const network = item.trim();
    if (network === '') continue;
    const [address = '', prefix, ...rest] = network.split('/');
    const parsed = parseAddress(address);
    const width = address.includes(':') ? 128 : 32;
    const bits = prefix === undefined ? width : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
    if (parsed === undefined || rest.length > 0 || !(bits <= width)) {
      return fault(
        'invalid_request',
        `${variable} cannot be read at "${network}".`,
        `Set ${variable} to addresses or CIDR blocks separated by commas, such as 10.0.0.0/8, ::1.`,
      );
    }
    networks.push([parsed, bits + 128 - width]);
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

/** Whether the socket's address is that of a trusted proxy; undefined is a socket without addresses. */
export function isTrustedProxy(remote: string | undefined, trusted: TrustedProxies): boolean {
  const address = remote === undefined || trusted.length === 0 ? undefined : parseAddress(remote);
  return address !== undefined && isTrusted(address, trusted);
}

function isTrusted(address: ipaddr.IPv6, trusted: TrustedProxies): boolean {
  return trusted.some((network) => address.match(...network));
}

/** `192.0.2.7:4711` and `[2001:db8::1]:4711`, as some proxies write them. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text);
  if (bracketed !== null) return bracketed[1] as string;
  return /^[\d.]+:\d{1,5}$/.test(text) ? text.slice(0, text.indexOf(':')) : text;
}

function parseAddress(text: string): ipaddr.IPv6 | undefined {
  if (text.length > 64) return undefined;
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text).toIPv4MappedAddress();
  return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : undefined;
}

function formatAddress(address: ipaddr.IPv6): string {
  return address.isIPv4MappedAddress()
    ? address.toIPv4Address().toString()
    : address.parts.map((group) => group.toString(16)).join(':');
}

/** Whether an address, or a host as a URL names it, is this machine itself. */
export function isLoopback(host: string): boolean {
  return (
    host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host) || /^(?:0:){7}1$/.test(host)
  );
}
