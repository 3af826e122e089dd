import { z } from 'zod';
import type { Call } from '../chain-nodes/endpoint.ts';

const whole = z.number().int().nonnegative();
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const SATOSHIS = 100_000_000;
/** Bitcoins as nodes write them. A double is exact enough: no amount has more than 16 digits. */
const amount = z
  .number()
  .min(0)
  .max(21_000_000)
  .transform((bitcoins) => BigInt(Math.round(bitcoins * SATOSHIS)));

const info = z
  .object({ blocks: whole, bestblockhash: hash, mediantime: whole, initialblockdownload: z.boolean() })
  .transform(({ blocks, bestblockhash, mediantime, initialblockdownload }) => ({
    head: { number: blocks, hash: bestblockhash },
    medianTime: mediantime,
    isSyncing: initialblockdownload,
  }));

/** An output that is not spent. */
const coin = z
  .object({
    confirmations: whole,
    value: amount,
    scriptPubKey: z.object({ hex: z.string().regex(/^([0-9a-f]{2})*$/) }),
    coinbase: z.boolean(),
  })
  .transform(({ confirmations, value, scriptPubKey, coinbase }) => ({
    confirmations,
    satoshis: value,
    script: scriptPubKey.hex,
    isCoinbase: coinbase,
  }));

/** A block that a node no longer counts to its chain has no confirmations. */
const transaction = z
  .object({ txid: hash, blockhash: hash.optional(), confirmations: whole.optional() })
  .transform(({ txid, blockhash, confirmations = 0 }) => ({
    id: txid,
    block: blockhash === undefined || confirmations === 0 ? undefined : { hash: blockhash, confirmations },
  }));

export type BitcoinInfo = z.output<typeof info>;
export type BitcoinCoin = z.output<typeof coin>;
/** A transaction that a node knows: in a block of its chain, or waiting for one. */
export type BitcoinFound = z.output<typeof transaction>;

/** The error of a node that does not know a transaction. */
export const UNKNOWN_TRANSACTION = -5;

/** The calls of Bitcoin nodes that sending needs. */
export const bitcoinCalls = {
  info: (): Call<BitcoinInfo> => ({ method: 'getblockchaininfo', params: [], result: info }),
  /** Whether the node has an index of all transactions up to its newest block. */
  isIndexed: (): Call<boolean> => ({
    method: 'getindexinfo',
    params: ['txindex'],
    result: z
      .object({ txindex: z.object({ synced: z.boolean() }).optional() })
      .transform(({ txindex }) => txindex?.synced === true),
  }),
  /** Null if it is spent or unknown. `withWaiting`: transactions without a block count as well. */
  coin: (txId: string, vout: number, withWaiting: boolean): Call<BitcoinCoin | null> => ({
    method: 'gettxout',
    params: [txId, vout, withWaiting],
    result: coin.nullable(),
  }),
  transaction: (id: string): Call<BitcoinFound> => ({
    method: 'getrawtransaction',
    params: [id, true],
    result: transaction.refine((found) => found.id === id, { path: ['txid'] }),
  }),
  blockHash: (number: number): Call<string> => ({ method: 'getblockhash', params: [number], result: hash }),
  /** The number of the block with a hash. */
  blockNumber: (blockHash: string): Call<number> => ({
    method: 'getblockheader',
    params: [blockHash],
    result: z
      .object({ hash, height: whole })
      .refine((header) => header.hash === blockHash, { path: ['hash'] })
      .transform(({ height }) => height),
  }),
  send: (signed: string): Call<string> => ({ method: 'sendrawtransaction', params: [signed], result: hash }),
};
