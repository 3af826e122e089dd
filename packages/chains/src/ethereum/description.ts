import type { PolicyValue } from '../transaction.ts';
import { toChecksumAddress } from './address.ts';

// The coin of these chains is ether. On other chains the same amount means another coin.
const etherChains = new Set([
  1n, // Ethereum
  10n, // OP Mainnet
  324n, // ZKsync Era
  8453n, // Base
  42_161n, // Arbitrum One
  42_170n, // Arbitrum Nova
  59_144n, // Linea
  534_352n, // Scroll
  17_000n, // Holesky
  560_048n, // Hoodi
  11_155_111n, // Sepolia
]);

const maxShownValues = 8;
const maxShownDepth = 2;
const maxShownText = 66;

/** An amount of wei in the coin of its chain, exact and without trailing zeros: `1.5 ETH`. */
export function describeAmount(wei: bigint, chainId: bigint | undefined): string {
  const digits = wei.toString().padStart(19, '0');
  const fraction = digits.slice(-18).replace(/0+$/, '');
  const amount = digits.slice(0, -18) + (fraction && `.${fraction}`);
  return chainId !== undefined && etherChains.has(chainId) ? `${amount} ETH` : `${amount} of the native coin`;
}

/** Where a transaction is valid. */
export function describeChain(chainId: bigint | undefined): string {
  return chainId === undefined ? 'on any chain (no replay protection)' : `on chain ${chainId}`;
}

/** What an EIP-7702 authorization does to the account that signed it. */
export function describeDelegation(account: string, address: string, chainId: bigint): string {
  // EIP-7702: the zero address removes the delegation; chain id 0 is valid on every chain.
  const act =
    address === `0x${'0'.repeat(40)}`
      ? `remove the code delegation of ${account}`
      : `delegate ${account} to the code at ${toChecksumAddress(address)}, which may then act for it without limit,`;
  return `${act} ${chainId === 0n ? 'on every chain' : `on chain ${chainId}`}`;
}

/** Named values for a sentence, shortened where they are many, long or deep: `dst: 0xAbC…, wad: 5`. */
export function describeValues(values: ReadonlyMap<string, PolicyValue>): string {
  return describeMembers(values, 0);
}

function describeMembers(values: ReadonlyMap<string, PolicyValue>, depth: number): string {
  return listed(Array.from(values, ([name, value]) => `${name}: ${describeValue(value, depth)}`));
}

function describeValue(value: PolicyValue, depth: number): string {
  if (value instanceof Map) return depth < maxShownDepth ? `{${describeMembers(value, depth + 1)}}` : `{${value.size} fields}`;
  if (Array.isArray(value)) {
    const items: readonly PolicyValue[] = value;
    return depth < maxShownDepth ? `[${listed(items.map((item) => describeValue(item, depth + 1)))}]` : `[${items.length} items]`;
  }
  if (typeof value !== 'string') return String(value);
  if (/^0x[0-9a-f]{40}$/.test(value)) return toChecksumAddress(value);
  return /^0x[0-9a-f]*$/.test(value) ? shorten(value) : quote(value);
}

function listed(parts: readonly string[]): string {
  const more = parts.length - maxShownValues;
  return more > 0 ? `${parts.slice(0, maxShownValues).join(', ')} and ${more} more` : parts.join(', ');
}

/**
 * Quotes text from a caller. SECURITY: escapes control, format and separator characters, so the text can neither break out of
 * its quotes nor reorder what a person reads.
 */
export function quote(text: string): string {
  const escaped = shorten(text).replace(
    /[\p{C}\p{Zl}\p{Zp}"\\]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  return `"${escaped}"`;
}

function shorten(text: string): string {
  return text.length > maxShownText ? `${text.slice(0, maxShownText)}… (${text.length} characters)` : text;
}
