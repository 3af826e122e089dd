export { MAX_IDL_LENGTH, parseIdl } from './idl/idl.ts';
export { type ParsedSolanaTransaction, solanaTransaction } from './transaction.ts';
