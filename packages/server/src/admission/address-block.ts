import { type IpAddress, showIpAddress } from '../network/ip-address.ts';

/** Whoever has an IPv6 network has at least this many bits of addresses in it (RFC 6177). */
const HOST_BITS = 64n;

/**
 * The name of the block of addresses that counts as one client: an IPv4 address, or the /64 of an IPv6 address.
 * SECURITY: one machine picks any of the addresses of its /64, so that they are one client. An address that cannot be told is one too.
 */
export function addressBlock(address: IpAddress | undefined): string {
  if (address === undefined) return 'unknown';
  const known = blocks.get(address);
  if (known !== undefined) return known;
  const { family, bits } = address;
  const block = showIpAddress(family === 4 ? address : { family, bits: (bits >> HOST_BITS) << HOST_BITS });
  blocks.set(address, block);
  return block;
}

/** An address is never changed, and each request asks for its block several times. */
const blocks = new WeakMap<IpAddress, string>();
