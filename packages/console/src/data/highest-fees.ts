/** SECURITY: D963: the highest price of a unit of gas, suggested or typed. */
export const MOST_GWEI = 500n;
/** The highest network fee on EVM chains, in wei: that price for 200,000 units of gas. */
export const MOST_GAS_FEE = MOST_GWEI * 200_000n * 10n ** 9n;
/** What the runtime of Solana takes for one signature, in lamports. */
export const SIGNATURE_FEE = 5_000n;
/** SECURITY: D963: the most for priority on Solana, in lamports, suggested or typed. */
export const MOST_PRIORITY = 10_000_000n;
const SUN = 1_000_000n;
/** SECURITY: D963: the most that a transfer on Tron may burn for energy, in sun, suggested or typed. */
export const MOST_FEE_LIMIT = 200n * SUN;
/** Bandwidth of a payment on Tron and the account of a new receiver, in sun, and what a memo adds. */
export const COIN_FEE = 2n * SUN;
export const MEMO_FEE = 2n * SUN;
/** SECURITY: D963: the highest price on Bitcoin, suggested or typed, in satoshis for 1,000 virtual bytes. */
export const MOST_RATE = 500_000n;

/** The numbers of inputs and outputs of a Bitcoin transaction, without its change. */
export interface BitcoinSize {
  readonly inputs: number;
  readonly outputs: number;
}

/** More virtual bytes than any input, any output, and any two outputs with the rest have. */
const INPUT_BYTES = 92n;
const OUTPUT_BYTES = 43n;
const OTHER_BYTES = 100n;

/** The fee of a Bitcoin transaction with change, in satoshis. */
export function bitcoinFee({ inputs, outputs }: BitcoinSize, satoshisPerKilobyte: bigint): bigint {
  const bytes = BigInt(inputs) * INPUT_BYTES + OTHER_BYTES + BigInt(Math.max(outputs - 1, 0)) * OUTPUT_BYTES;
  return (bytes * satoshisPerKilobyte) / 1_000n;
}

/**
 * SECURITY: D1101: the highest network fee that is usual, in base units of the coin, by the namespace of the CAIP-2 name of a chain. Payments of
 * the console cost at most as much. Others need a second step of those who approve them.
 */
export const highestFees: Readonly<Record<string, (size: BitcoinSize) => bigint>> = {
  eip155: () => MOST_GAS_FEE,
  solana: () => SIGNATURE_FEE + MOST_PRIORITY,
  tron: () => COIN_FEE + MEMO_FEE + MOST_FEE_LIMIT,
  bip122: (size) => bitcoinFee(size, MOST_RATE),
};
