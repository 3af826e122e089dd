export { type Idl, MAX_IDL_LENGTH, parseIdl } from './idl/idl.ts';
export { ADDRESS_TABLE_LOOKUP } from './message.ts';
export { type ParsedSolanaTransaction, solanaTransaction } from './transaction.ts';
