/** Recipient of example payments. */
export const EXAMPLE_RECEIVER = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

/** Terms of a payment on a chain. Fees are in wei per unit of gas. */
export interface PaymentTerms {
  readonly chainId: bigint;
  readonly nonce: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
}

const GWEI = 10n ** 9n;

/** Chains whose ether has no value: those of local nodes, and the public test networks. */
const testChains: ReadonlySet<bigint> = new Set([1337n, 31_337n, 17_000n, 560_048n, 11_155_111n, 84_532n, 421_614n, 11_155_420n]);

/** Whether payments on a chain are worth nothing. */
export function isTestChain(chainId: bigint): boolean {
  return testChains.has(chainId);
}

/** Terms of a payment that is signed but not sent, on the test network Sepolia: fees of at most 0.00042 ether. */
export const exampleTerms = (nonce: number): PaymentTerms => ({
  chainId: 11_155_111n,
  nonce: BigInt(nonce),
  maxPriorityFeePerGas: GWEI,
  maxFeePerGas: 20n * GWEI,
});

/** An unsigned payment of the given wei (EIP-1559, RLP). */
export function unsignedPayment(wei: bigint, { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas }: PaymentTerms): string {
  const fields = [
    quantity(chainId),
    quantity(nonce),
    quantity(maxPriorityFeePerGas),
    quantity(maxFeePerGas),
    quantity(21_000n),
    prefixed(0x80, EXAMPLE_RECEIVER.slice(2).toLowerCase()),
    quantity(wei),
    '80', // no data
    'c0', // no access list
  ].join('');
  return `02${prefixed(0xc0, fields)}`;
}

/** Encodes a number in RLP: its bytes without leading zeros; a small number is its own encoding. */
function quantity(value: bigint): string {
  const digits = value === 0n ? '' : value.toString(16);
  const hex = digits.length % 2 === 0 ? digits : `0${digits}`;
  return value > 0n && value < 0x80n ? hex : prefixed(0x80, hex);
}

/** Encodes bytes in RLP with their length, at most 255 bytes. */
function prefixed(offset: number, hex: string): string {
  const length = hex.length / 2;
  const prefix = length <= 55 ? [offset + length] : [offset + 56, length];
  return `${prefix.map((byte) => byte.toString(16).padStart(2, '0')).join('')}${hex}`;
}
