/**
 * Where this service may connect when a caller names the address (contract §3 WEB_FETCH, owner rows). A
 * URL is judged by itself first, and every address that its host resolves to is judged again before anything is
 * sent: only http(s) to public unicast addresses passes, so that no caller reaches this machine, its network or a
 * cloud's metadata service through us. `COLOPHON_EGRESS_ALLOW` opens chosen networks, for peers of one's own.
 */
import ipaddr from 'ipaddr.js';
import { fault, type Fault } from '../kernel/fault.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Networks that are open although they are not public. */
export type EgressAllow = readonly (readonly [Address, number])[];

const variable = 'COLOPHON_EGRESS_ALLOW';
const urlCharsMax = 4096;

/** Public by its number, and yet the door to a cloud's own services: Azure answers its virtual machines here. */
const special: ReadonlySet<string> = new Set(['168.63.129.16']);
const globalUnicast = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** Ports above 1023 that speak protocols which an HTTP request could be mistaken for (Fetch standard, "bad port"). */
const badPorts = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
]);

/** Reads CIDR blocks and addresses, separated by commas; a `Fault` names the item that is neither. */
export function parseEgressAllow(text: string): EgressAllow | Fault {
  const networks: (readonly [Address, number])[] = [];
  for (const item of text.split(',').map((each) => each.trim())) {
    if (item === '') continue;
    const block = item.includes('/') ? item : `${item}/${item.includes(':') ? 128 : 32}`;
    if (!ipaddr.isValidCIDR(block) || (!item.includes(':') && !/^\d+\.\d+\.\d+\.\d+(\/\d+)?$/.test(item))) {
      return fault(
        'invalid_request',
        `${variable} cannot be read at "${item}".`,
        `Set ${variable} to addresses or CIDR blocks separated by commas, such as 10.1.0.0/16, ::1.`,
      );
    }
    networks.push(ipaddr.parseCIDR(block));
  }
  return networks;
}

/** The URL, where it may be asked for at all; its host's addresses are judged later, one by one. */
export function egressUrl(text: string): URL | Fault {
  if (text.length > urlCharsMax) return refuse(`it has more than ${urlCharsMax} characters`);
  const url = URL.parse(text);
  // "http:///x" and "http:x" would be parsed as the host x; they are typing errors.
  if (url === null || (/^\s*https?:/i.test(text) && !/^\s*https?:\/\/[^\s/\\]/i.test(text)))
    return refuse('it is no absolute URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refuse(`${url.protocol.slice(0, 40)} is neither http: nor https:`);
  if (url.username !== '' || url.password !== '') return refuse('it holds a user name or a password');
  if (url.port !== '' && !isOpenPort(Number(url.port))) return refuse(`port ${url.port} is not a web port`);
  if (isNobodysName(url.hostname))
    return refuse(`${url.hostname.slice(0, 80)} is no name that a host can have`);
  return url;
}

function isOpenPort(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1024 && !badPorts.has(port));
}

/** The numeric address that a URL's host is, without brackets; undefined for a name. */
export function literalAddress(host: string): string | undefined {
  const plain = host.startsWith('[') ? host.slice(1, -1) : host;
  return ipaddr.isValid(plain) ? plain : undefined;
}

/** Ends of names that the domain name system never answers for (RFC 6761, RFC 7686, RFC 9476). */
const unresolved = /\.(?:invalid|onion|alt)$/;

/** Whether no host can be called so: its labels are empty or too long, or its end is kept free for ever. */
function isNobodysName(host: string): boolean {
  if (literalAddress(host) !== undefined) return false;
  const name = host.replace(/\.$/, '');
  const labels = name.split('.');
  return (
    name.length > 253 ||
    labels.some((label) => label === '' || label.length > 63) ||
    unresolved.test(`.${name}`)
  );
}

/** Ends of names within some network: of this machine, of a link, and those set aside for private use. */
const local = /\.(?:localhost|local|localdomain|internal|home\.arpa)$/;

/** Whether a host is a name of a private network. */
export function isLocalName(host: string): boolean {
  const name = host.replace(/\.$/, '');
  return literalAddress(host) === undefined && (!name.includes('.') || local.test(name));
}

/**
 * Whether `address`, in numeric form, may be connected to. An IPv4 address inside IPv6 counts as itself where the
 * system would connect to it (`::ffff:a.b.c.d`); every other embedding (6to4, NAT64, Teredo, IPv4-compatible) and
 * every special, private or reserved range is closed.
 */
export function mayConnect(address: string, allow: EgressAllow): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (allow.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits)))
    return true;
  if (special.has(parsed.toString()) || parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(...globalUnicast);
}

function refuse(why: string): Fault {
  return fault(
    'runner_failed',
    `The URL is not one that may be fetched: ${why}.`,
    'Send an absolute http or https URL of a public host, without credentials in it.',
    { reason: 'egress_refused' },
  );
}

/** One answer for every closed address, so that it does not reveal what a name resolves to in our network. */
export function closedAddress(host: string): Fault {
  return fault(
    'runner_failed',
    `${host.slice(0, 200)} has an address that is not public, and is not connected to.`,
    'Send the URL of a public host; the operator can open a network of his own with COLOPHON_EGRESS_ALLOW.',
    { reason: 'egress_refused' },
  );
}
