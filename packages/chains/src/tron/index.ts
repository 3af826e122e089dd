export { type ParsedTronTransaction, tronTransaction } from './transaction.ts';
