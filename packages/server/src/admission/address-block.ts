import { type IpAddress, showIpAddress } from '../network/ip-address.ts';

/** A network has at least this many bits of IPv6 addresses (RFC 6177). */
const HOST_BITS = 64n;

/**
 * The block of addresses that counts as one client: an IPv4 address, or the /64 of an IPv6 address.
 * SECURITY: one machine can use every address of its /64. All unknown addresses are one block.
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

/** Addresses are immutable. */
const blocks = new WeakMap<IpAddress, string>();
