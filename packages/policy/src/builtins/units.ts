import type { AddressKind } from '../types.ts';

/** A unit of a chain's own coin: `1.5 ETH` is 1500000000000000000. */
export interface CoinUnit {
  readonly name: string;
  /** How many base units one unit has, as a power of ten. */
  readonly decimals: number;
  readonly chain: AddressKind;
  readonly doc: string;
  readonly example: string;
}

/** The decimals of a token by chain (CAIP-2: `eip155:1`). They are not the same on every chain. */
export type TokenUnit = ReadonlyMap<string, number>;

/** Every unit of the language. The host brings those of tokens. A new one is one entry here. */
const table: readonly CoinUnit[] = [
  { name: 'ETH', decimals: 18, chain: 'ethereum', doc: 'Ether', example: 'eth.tx.value <= 1.5 ETH' },
  { name: 'gwei', decimals: 9, chain: 'ethereum', doc: 'A billion wei', example: 'eth.tx.max_fee_per_gas <= 40 gwei' },
  { name: 'wei', decimals: 0, chain: 'ethereum', doc: 'The base unit of Ethereum', example: 'eth.tx.value > 0 wei' },
  {
    name: 'SOL',
    decimals: 9,
    chain: 'solana',
    doc: 'The coin of Solana',
    example: 'solana.tx.transfers.all(t, t.amount <= 0.1 SOL)',
  },
  {
    name: 'lamports',
    decimals: 0,
    chain: 'solana',
    doc: 'The base unit of Solana',
    example: 'solana.tx.transfers.all(t, t.amount >= 1000 lamports)',
  },
  { name: 'TRX', decimals: 6, chain: 'tron', doc: 'The coin of Tron', example: 'tron.tx.fee_limit <= 20 TRX' },
  { name: 'sun', decimals: 0, chain: 'tron', doc: 'The base unit of Tron', example: 'tron.tx.fee_limit > 5 sun' },
  { name: 'BTC', decimals: 8, chain: 'bitcoin', doc: 'Bitcoin', example: 'bitcoin.tx.outputs.all(o, o.value <= 0.01 BTC)' },
  { name: 'sat', decimals: 0, chain: 'bitcoin', doc: 'The base unit of Bitcoin', example: 'bitcoin.tx.fee <= 1000 sat' },
];

/** The units of coins by name. */
export const coinUnits: ReadonlyMap<string, CoinUnit> = new Map(table.map((unit) => [unit.name, Object.freeze(unit)]));
