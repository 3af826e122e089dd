import type { ChainReader } from '../chain-reads.ts';

/** A page of the past of an address, newest first. */
export interface HistoryPage {
  readonly coverage: 'TRANSACTIONS' | 'TOKEN_TRANSFERS';
  readonly entries: readonly PastTransaction[];
  /** The first and the last block that were searched. */
  readonly searched?: readonly [from: bigint, to: bigint];
  /** A block with more than the nodes list. Nothing of it is among the entries. */
  readonly unlistedBlock?: bigint;
  /** Where the next page begins: letters, digits and dots. */
  readonly next?: string;
}

export interface PastTransaction {
  readonly hash: string;
  readonly block: bigint;
  readonly isFailed?: boolean;
  /** When the block was made, in seconds since 1970. */
  readonly atSeconds?: number;
  readonly memo?: string;
  readonly transfer?: PastTransfer;
}

export interface PastTransfer {
  /** The CAIP-19 reference of the token. */
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
  readonly logIndex: bigint;
}

export interface AskedHistory {
  readonly limit: number;
  /** The `next` of the page before. */
  readonly position: string | undefined;
}

/** Lists the past of an address. */
export type ReadHistory = (reader: ChainReader, address: string, asked: AskedHistory) => Promise<HistoryPage>;
