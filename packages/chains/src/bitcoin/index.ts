export { bitcoinTransaction, type ParsedBitcoinTransaction } from './transaction.ts';
