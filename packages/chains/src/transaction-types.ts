import { bitcoinTransaction } from './bitcoin/index.ts';
import { ethereumTransaction } from './ethereum/index.ts';
import { solanaTransaction } from './solana/index.ts';
import type { TransactionType } from './transaction.ts';
import { tronTransaction } from './tron/index.ts';

/** Every transaction type that can be parsed and signed, by wire name. */
export const transactionTypes = Object.freeze({
  TRANSACTION_TYPE_ETHEREUM: ethereumTransaction as TransactionType,
  TRANSACTION_TYPE_SOLANA: solanaTransaction as TransactionType,
  TRANSACTION_TYPE_TRON: tronTransaction as TransactionType,
  TRANSACTION_TYPE_BITCOIN: bitcoinTransaction as TransactionType,
});
