import { BlockList, isIP } from 'node:net';

/** IANA's special-purpose IPv4 blocks (RFC 6890 and its successors). No host on the internet has such an address. */
const notPublicV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Parts of the global unicast range that stand for other addresses (Teredo, 6to4) or are for documentation only. */
const notPublicV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const special = new BlockList();
for (const [network, prefix] of notPublicV4) special.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of notPublicV6) special.addSubnet(network, prefix, 'ipv6');

/** RFC 4291: the internet is in 2000::/3. Loopback, link-local, unique-local and IPv4-mapped addresses are outside it. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether an IP address is on the internet, and not in a private network or on this machine. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, 'ipv4');
    case 6:
      return globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
    default:
      return false;
  }
}

/** The IP address in a URL's host name, if it is one. IPv6 without its brackets. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) === 0 ? undefined : bare;
}

/** Whether a URL's host name can only be this machine. */
export function isLoopbackHost(hostname: string): boolean {
  const address = literalAddress(hostname);
  if (address === undefined) return hostname === 'localhost';
  return loopback.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}
