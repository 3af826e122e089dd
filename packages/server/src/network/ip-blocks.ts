import { type IpAddress, parseIpAddress, showIpAddress, widths } from './ip-address.ts';

/** A block of addresses: those that share the first `prefix` bits. */
export interface IpBlock extends IpAddress {
  readonly prefix: number;
}

/** The text is not a block of addresses. The message completes a sentence that starts with the field, and names the correct form. */
export class CidrError extends Error {
  override readonly name = 'CidrError';
}

const CIDR = /^([^/]+)\/(0|[1-9]\d{0,2})$/;
const SHAPE = 'must be a block of addresses such as 192.0.2.0/24 or 2001:db8::/32';

/**
 * Reads a block in CIDR notation (RFC 4632, RFC 4291 section 2.3). Throws a `CidrError` for anything else, and names the form that was
 * probably meant: a reader must see immediately what a rule covers.
 */
export function parseCidr(text: string): IpBlock {
  const alone = parseIpAddress(text);
  if (alone !== undefined) {
    throw new CidrError(`needs a prefix length: write ${showIpAddress(alone)}/${widths[alone.family]} for this one address`);
  }
  const [, addressText = '', prefixText] = CIDR.exec(text) ?? [];
  const address = parseIpAddress(addressText);
  const prefix = Number(prefixText);
  const written = addressText.includes(':') ? 6 : 4;
  if (address === undefined || !(prefix <= widths[written])) throw new CidrError(SHAPE);
  if (written !== address.family) return refuseMapped(address, prefix);
  const bits = networkOf(address, prefix);
  const block: IpBlock = { family: address.family, bits, prefix };
  if (bits !== address.bits) throw new CidrError(`has bits set beyond its prefix: write ${showIpBlock(block)}`);
  return block;
}

/** An IPv4 block in IPv6 notation would never match, because such addresses are read as IPv4. */
function refuseMapped(address: IpAddress, prefix: number): never {
  const own = prefix - (widths[6] - widths[4]);
  if (own < 0) throw new CidrError('mixes IPv4 and IPv6: write a rule for each');
  const block = { family: address.family, bits: networkOf(address, own), prefix: own };
  throw new CidrError(`is an IPv4 block in IPv6 notation: write ${showIpBlock(block)}`);
}

/** The canonical text of a block. */
export function showIpBlock(block: IpBlock): string {
  return `${showIpAddress(block)}/${block.prefix}`;
}

/** Blocks, compiled for many look-ups. */
export interface IpBlocks {
  has(address: IpAddress): boolean;
}

/** The blocks by family and prefix length. A query costs one look-up per prefix length in use, however many blocks there are. */
export function compileBlocks(blocks: readonly IpBlock[]): IpBlocks {
  const networks = { 4: new Map<number, Set<bigint>>(), 6: new Map<number, Set<bigint>>() };
  for (const { family, bits, prefix } of blocks) {
    const known = networks[family].get(prefix) ?? new Set();
    networks[family].set(prefix, known.add(bits));
  }
  return {
    has(address) {
      for (const [prefix, known] of networks[address.family]) if (known.has(networkOf(address, prefix))) return true;
      return false;
    },
  };
}

function networkOf({ family, bits }: IpAddress, prefix: number): bigint {
  const host = BigInt(widths[family] - prefix);
  return (bits >> host) << host;
}

/** The blocks that cover the addresses in both lists. Two blocks are disjoint, or one contains the other. */
export function intersectBlocks(left: readonly IpBlock[], right: readonly IpBlock[]): IpBlock[] {
  const isWithin = (outer: readonly IpBlock[]) => (block: IpBlock) => outer.some((each) => covers(each, block));
  const both = [...left.filter(isWithin(right)), ...right.filter(isWithin(left))];
  return [...new Map(both.map((block) => [showIpBlock(block), block])).values()];
}

function covers({ family, bits, prefix }: IpBlock, inner: IpBlock): boolean {
  return family === inner.family && prefix <= inner.prefix && networkOf(inner, prefix) === bits;
}
