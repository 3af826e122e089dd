/** Whether a block such as 192.0.2.0/24 contains an address, both as the service writes them. */
export function isInBlock(address: string, cidr: string): boolean {
  const [base = '', prefix = ''] = cidr.split('/');
  const [own, block] = [bitsOf(address), bitsOf(base)];
  if (own === undefined || block === undefined || own.width !== block.width) return false;
  const rest = BigInt(own.width - Number(prefix));
  return own.bits >> rest === block.bits >> rest;
}

/** Loopback, link-local and private networks, and those between the routers of providers (RFC 6890). */
const privateBlocks = [
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '127.0.0.0/8', '169.254.0.0/16', '100.64.0.0/10'],
  ...['::1/128', 'fc00::/7', 'fe80::/10'],
];

/** Whether an address means nothing outside of one network, such as that of a proxy in front of the service. */
export const isPrivate = (address: string): boolean => privateBlocks.some((block) => isInBlock(address, block));

function bitsOf(address: string): { readonly width: 32 | 128; readonly bits: bigint } | undefined {
  if (/^\d+(?:\.\d+){3}$/.test(address)) return { width: 32, bits: joined(address.split('.').map(BigInt), 8n) };
  if (!/^[0-9a-f:]+$/.test(address)) return undefined;
  const [head = [], tail] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = tail === undefined ? [] : Array<string>(8 - head.length - tail.length).fill('0');
  return {
    width: 128,
    bits: joined(
      [...head, ...zeros, ...(tail ?? [])].map((group) => BigInt(`0x${group}`)),
      16n,
    ),
  };
}

const joined = (parts: readonly bigint[], width: bigint) => parts.reduce((bits, part) => (bits << width) | part, 0n);
