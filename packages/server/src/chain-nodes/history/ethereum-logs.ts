import { z } from 'zod';
import { hexData, hexQuantity } from '../quantities.ts';
import type { PastTransaction, PastTransfer } from './history.ts';

/** A transfer of an ERC-20 token to or from an address. */
export interface PastTokenTransfer extends PastTransaction {
  readonly transfer: PastTransfer;
}

/** Where a log is on its chain. */
export interface LogPlace {
  readonly block: bigint;
  /** Absent for the end of the block. */
  readonly logIndex?: bigint;
}

/** Which logs were asked for. */
export interface AskedLogs {
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
  /** The topic that must be the address: 1 for the sender, 2 for the receiver. */
  readonly side: 1 | 2;
  /** The address as a topic. */
  readonly topic: string;
  /** Only earlier logs are wanted. */
  readonly before: LogPlace;
}

/** keccak256("Transfer(address,address,uint256)"), EIP-20. Transfers of EIP-721 have the same topic, and one topic more. */
export const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** How many transfers of a response are kept: one more than a page can have. */
export const MAX_KEPT = 101;

const WORD = /^0x[0-9a-f]{64}$/;
const ADDRESS_WORD = /^0x0{24}[0-9a-f]{40}$/;

const lowerHex = (form: RegExp) => z.string().max(66).toLowerCase().regex(form);

const log = z.object({
  address: lowerHex(/^0x[0-9a-f]{40}$/),
  topics: z.array(lowerHex(WORD)).min(1).max(4),
  data: hexData,
  blockNumber: hexQuantity,
  transactionHash: lowerHex(WORD),
  logIndex: hexQuantity.refine((index) => index < 1n << 32n),
  removed: z.boolean().optional(),
});

type Log = z.output<typeof log>;

export const addressTopic = (address: string): string => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;

/** Newest first. */
export const byPlace = (one: PastTokenTransfer, other: PastTokenTransfer): number =>
  compare(other.block, one.block) || compare(other.transfer.logIndex, one.transfer.logIndex);

const compare = (one: bigint, other: bigint) => (one < other ? -1 : one > other ? 1 : 0);

/**
 * The newest transfers in a response to `eth_getLogs`, newest first, whatever its order is.
 * SECURITY: D931, D932: a response with a log that was not asked for, or with one place twice, is a failure of the node.
 */
export function transfersIn(asked: AskedLogs): z.ZodType<readonly PastTokenTransfer[]> {
  const isAskedFor = ({ topics, blockNumber }: Log) =>
    topics[0] === TRANSFER &&
    topics[asked.side] === asked.topic &&
    blockNumber >= asked.fromBlock &&
    blockNumber <= asked.toBlock;
  return z
    .array(log)
    .refine((logs) => logs.every(isAskedFor))
    .refine((logs) => new Set(logs.map(({ blockNumber, logIndex }) => `${blockNumber}.${logIndex}`)).size === logs.length)
    .transform((logs) =>
      logs
        .filter((each) => isTokenTransfer(each) && isBefore(each, asked.before))
        .map(transferOf)
        .sort(byPlace)
        .slice(0, MAX_KEPT),
    );
}

/** A contract chooses what its events contain. One that is not that of a token is left out. */
const isTokenTransfer = ({ topics, data, removed }: Log) =>
  removed !== true && topics.length === 3 && topics.slice(1).every((topic) => ADDRESS_WORD.test(topic)) && data.length === 66;

const isBefore = ({ blockNumber, logIndex }: Log, before: LogPlace) =>
  blockNumber < before.block || before.logIndex === undefined || logIndex < before.logIndex;

function transferOf({ address, topics, data, blockNumber, transactionHash, logIndex }: Log): PastTokenTransfer {
  const [, from, to] = topics.map((topic) => `0x${topic.slice(26)}`) as [string, string, string];
  return {
    hash: transactionHash,
    block: blockNumber,
    transfer: { token: address, from, to, amount: BigInt(data), logIndex },
  };
}
