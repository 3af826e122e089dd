import { type IpAddress, showIpAddress, widths } from '../network/ip-address.ts';

/**
 * Whose turn a request uses.
 * INVARIANT: `isProven` only if a stamp of the claimed credential verified before, from the same block of addresses. A client can claim any
 * credential, and most addresses are cheap.
 */
export interface Flow {
  readonly isProven: boolean;
  /** Names of the queues that it waits in, at least two, outermost first: organization, user and credential, or smaller and smaller blocks. */
  readonly path: readonly string[];
}

/** The address of a client, as admission counts it. */
export interface Sender {
  /** The block that counts as one client: an IPv4 address, or the /64 of an IPv6 address. */
  readonly block: string;
  /** The flow of its unproven requests. */
  readonly flow: Flow;
}

/**
 * Blocks that take turns, largest first, as prefix lengths. The last one counts as one client.
 * SECURITY: a customer of a provider gets a /48, /56 or /64 of IPv6 (RFC 6177), and can use every address of it. The owner of a /48 has one
 * turn, not 65,536.
 */
const blocks = { 4: [24, 32], 6: [48, 56, 64] } as const;

const UNKNOWN: Sender = { block: 'unknown', flow: { isProven: false, path: ['unknown', 'unknown'] } };

/** Addresses are immutable. */
const senders = new WeakMap<IpAddress, Sender>();

/** SECURITY: all unknown addresses are one sender. */
export function senderOf(address: IpAddress | undefined): Sender {
  if (address === undefined) return UNKNOWN;
  const known = senders.get(address);
  if (known !== undefined) return known;
  const path = blocks[address.family].map((prefix) => showBlock(address, prefix));
  const sender = { block: path.at(-1) as string, flow: { isProven: false, path } };
  senders.set(address, sender);
  return sender;
}

function showBlock({ family, bits }: IpAddress, prefix: number): string {
  const rest = BigInt(widths[family] - prefix);
  return showIpAddress({ family, bits: (bits >> rest) << rest });
}
