import { ServiceError } from '@countersign/contract';
import type { ChainReader } from '../chain-reads.ts';
import { EndpointError, NodeRejection } from '../node-errors.ts';
import { hexQuantity } from '../quantities.ts';
import { addressTopic, byPlace, type LogPlace, type PastTokenTransfer, TRANSFER, transfersIn } from './ethereum-logs.ts';
import type { ReadHistory } from './history.ts';

/** A thousand transfers or more. */
const MAX_BYTES = 1_048_576;
/** A range that a node cannot answer is divided by this. */
const NARROWER = 16n;
/** Endpoints whose newest blocks are further apart are not compared. */
const MAX_LAG = 256n;

/**
 * Transfers of ERC-20 tokens to and from an address, in one range of blocks that ends at a position. A position is a block, and the log in
 * it that was shown last.
 * Payments in the coin of the chain are not among them: nodes have no index of these.
 */
export const ethereumHistory: ReadHistory = async (reader, address, { limit, position }) => {
  const before = position === undefined ? { block: await newestBlock(reader) } : readPosition(position);
  const { fromBlock, found, isListed } = await searchBelow(reader, address, before);
  const entries = found.slice(0, limit);
  const next = entries.length < found.length ? positionOf(entries.at(-1)) : fromBlock > 0n ? `${fromBlock - 1n}` : undefined;
  return {
    coverage: 'TOKEN_TRANSFERS',
    entries,
    searched: [fromBlock, before.block],
    ...(!isListed && { unlistedBlock: fromBlock }),
    ...(next !== undefined && { next }),
  };
};

function readPosition(position: string): LogPlace {
  const [block, logIndex] = position.split('.');
  return { block: BigInt(block as string), ...(logIndex !== undefined && { logIndex: BigInt(logIndex) }) };
}

const positionOf = (last: PastTokenTransfer | undefined) => last && `${last.block}.${last.transfer.logIndex}`;

/**
 * The newest block that every endpoint has.
 * SECURITY: D933: one that names a block of the future, or one long ago, would hide what happened since.
 */
async function newestBlock(reader: ChainReader): Promise<bigint> {
  const heads = await reader.every({ method: 'eth_blockNumber', params: [], result: hexQuantity });
  const lowest = heads.find((head) => heads.every((other) => head <= other)) as bigint;
  if (heads.every((head) => head - lowest <= MAX_LAG)) return lowest;
  throw new ServiceError('CHAIN_DISAGREEMENT', `The endpoints of ${reader.chain} name different newest blocks.`);
}

/**
 * The transfers in the blocks up to a place.
 * SECURITY: D938: somebody may fill blocks with transfers to an address, so that a node cannot list a whole range. Then fewer blocks are searched.
 * D955: a single block that is too full is left out, and the page says so. Otherwise it would hide everything before it.
 */
async function searchBelow(reader: ChainReader, address: string, before: LogPlace) {
  for (let blocks = BigInt(reader.historyBlocks); ; blocks = (blocks + NARROWER - 1n) / NARROWER) {
    const first = before.block - blocks + 1n;
    const fromBlock = first > 0n ? first : 0n;
    try {
      return { fromBlock, found: await transfersBetween(reader, address, fromBlock, before), isListed: true };
    } catch (error) {
      if (blocks === 1n && isTooFull(error)) return { fromBlock, found: [], isListed: false };
      if (blocks === 1n || !isTooMuch(error)) throw error;
    }
  }
}

/** Limits of programs and providers: Infura, Alchemy, Nethermind, Reth. Infura's has the code of a rate limit (EIP-1474). */
const TOO_MANY = /\b(more than|exceeds?|max|too many)\b.{0,40}\b(results|logs)\b|\bresponse (size|is too (big|large))/i;

/** Whether a node has too many transfers to list. Other rejections say nothing about what a block contains. */
function isTooFull(error: unknown): boolean {
  const { cause } = error instanceof ServiceError ? error : { cause: undefined };
  const rejection = cause instanceof EndpointError ? cause.cause : cause;
  if (rejection instanceof NodeRejection) return TOO_MANY.test(rejection.message);
  return cause instanceof EndpointError && cause.failure === 'TOO_LARGE';
}

/** Whether fewer blocks may help. Providers limit ranges with errors of many kinds. */
const isTooMuch = (error: unknown): boolean =>
  isTooFull(error) || (error instanceof ServiceError && error.cause instanceof NodeRejection);

async function transfersBetween(reader: ChainReader, address: string, fromBlock: bigint, before: LogPlace) {
  const topic = addressTopic(address);
  const side = (number: 1 | 2) =>
    reader.agree({
      method: 'eth_getLogs',
      params: [
        {
          fromBlock: toHex(fromBlock),
          toBlock: toHex(before.block),
          topics: number === 1 ? [TRANSFER, topic] : [TRANSFER, null, topic],
        },
      ],
      result: transfersIn({ fromBlock, toBlock: before.block, side: number, topic, before }),
      variant: `${before.logIndex ?? ''}`,
      maxBytes: MAX_BYTES,
      isCallers: true,
    });
  const sent = await side(1);
  const received = await side(2);
  // What an address sent to itself is in both.
  return [...sent, ...received.filter(({ transfer }) => addressTopic(transfer.from) !== topic)].sort(byPlace);
}

const toHex = (value: bigint) => `0x${value.toString(16)}`;
