import { isIPv4, isIPv6 } from 'node:net';

/**
 * An address in canonical form.
 * INVARIANT: two addresses are the same host exactly if family and bits are equal. An IPv4 address in IPv6 notation (RFC 4291 section
 * 2.5.5.2) is the IPv4 address.
 */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

/** The number of bits of an address, by family. */
export const widths = { 4: 32, 6: 128 } as const;

/** `::ffff:0:0/96`: IPv4 addresses as IPv6 sockets show them. */
const MAPPED = 0xffffn;

/** Reads an address without port, brackets, zone or prefix. Undefined for any other text. */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (isIPv4(text)) return { family: 4, bits: bitsOfIpv4(text) };
  // Node accepts a zone (`fe80::1%eth0`) as part of the address, but a zone only names an interface of one machine.
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const bits = bitsOfIpv6(text);
  return bits >> 32n === MAPPED ? { family: 4, bits: bits & 0xffff_ffffn } : { family: 6, bits };
}

/** The text of an address. IPv6 as in RFC 5952: lower case, without the longest run of zeros. */
export function showIpAddress({ family, bits }: IpAddress): string {
  if (family === 4) return groupsOf(bits, 4, 8n).join('.');
  const text = groupsOf(bits, 8, 16n)
    .map((group) => group.toString(16))
    .join(':');
  // Section 4.2.3: the first of several longest runs. Section 4.2.2: a single zero stays.
  const runs = [...text.matchAll(/\b0(?::0)+\b/g)].map(({ 0: run, index }) => ({ from: index, to: index + run.length }));
  const [longest] = runs.sort((a, b) => b.to - b.from - (a.to - a.from) || a.from - b.from);
  if (longest === undefined) return text;
  return `${text.slice(0, longest.from).replace(/:$/, '')}::${text.slice(longest.to).replace(/^:/, '')}`;
}

function bitsOfIpv4(text: string): bigint {
  return text.split('.').reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function bitsOfIpv6(text: string): bigint {
  const dotted = /[^:]*\.[^:]*$/.exec(text)?.[0];
  const plain = dotted === undefined ? text : text.slice(0, -dotted.length) + hexGroups(bitsOfIpv4(dotted));
  const [head = '', tail] = plain.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(missing).fill('0'), ...after];
  return groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

/** The dotted end of an IPv6 address as two groups. */
function hexGroups(bits: bigint): string {
  return groupsOf(bits, 2, 16n)
    .map((group) => group.toString(16))
    .join(':');
}

function groupsOf(bits: bigint, count: number, size: bigint): bigint[] {
  return Array.from({ length: count }, (_, index) => (bits >> (size * BigInt(count - 1 - index))) & ((1n << size) - 1n));
}
