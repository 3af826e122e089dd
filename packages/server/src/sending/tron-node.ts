import { z } from 'zod';
import type { Call } from '../chain-nodes/endpoint.ts';

const whole = z.number().int().nonnegative();
const hash = z.string().regex(/^[0-9a-f]{64}$/);

const block = z
  .object({ blockID: hash, block_header: z.object({ raw_data: z.object({ number: whole, timestamp: whole }) }) })
  .refine(({ blockID, block_header: { raw_data } }) => BigInt(`0x${blockID.slice(0, 16)}`) === BigInt(raw_data.number), {
    path: ['blockID'],
  })
  .transform(({ blockID, block_header: { raw_data } }) => ({ id: blockID, ...raw_data }));

/** A block, by the number and time in its header. */
export type TronBlock = z.output<typeof block>;

/** An absent transaction is an empty object. */
const info = z
  .object({
    id: hash.optional(),
    blockNumber: whole.optional(),
    result: z.string().optional(),
    receipt: z.object({ result: z.string().optional() }).optional(),
  })
  .transform(({ id, blockNumber, result, receipt }) => {
    if (id === undefined || blockNumber === undefined) return null;
    const isFailed = result === 'FAILED' || !['SUCCESS', 'DEFAULT', undefined].includes(receipt?.result);
    return { id, block: blockNumber, isFailed };
  });

/** What a node says about a transaction that a block contains. */
export type TronInfo = NonNullable<z.output<typeof info>>;

/** The HTTP calls of Tron nodes that sending needs. Those below `walletsolidity` answer from final blocks only. */
export const tronCalls = {
  head: (): Call<TronBlock> => ({ method: 'wallet/getnowblock', params: {}, result: block }),
  finalHead: (): Call<TronBlock> => ({ method: 'walletsolidity/getnowblock', params: {}, result: block }),
  /** Null if the node does not have it. */
  block: (num: number): Call<TronBlock | null> => ({
    method: 'wallet/getblockbynum',
    params: { num },
    result: block.or(z.object({}).transform(() => null)),
  }),
  balance: (address: string): Call<bigint> => ({
    method: 'wallet/getaccount',
    params: { address, visible: true },
    result: z.object({ balance: whole.default(0) }).transform(({ balance }) => BigInt(balance)),
  }),
  info: (id: string, where: 'wallet' | 'walletsolidity'): Call<TronInfo | null> => ({
    method: `${where}/gettransactioninfobyid`,
    params: { value: id },
    result: info.refine((found) => found === null || found.id === id, { path: ['id'] }),
  }),
  send: (signed: string): Call<{ readonly id?: string | undefined; readonly code?: string | undefined }> => ({
    method: 'wallet/broadcasthex',
    params: { transaction: signed },
    result: z
      .object({ result: z.boolean().optional(), txid: hash.optional(), code: z.string().optional() })
      .transform(({ result, txid, code }) => (result === true ? { id: txid } : { code: code?.slice(0, 60) })),
  }),
};
