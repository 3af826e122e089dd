import { ChainError } from '../errors.ts';

/** The error for a transaction, or call data within it, that is not canonical, complete and unsigned. */
export function invalidTransaction(message: string): ChainError {
  return new ChainError('INVALID_TRANSACTION', message);
}

/** The error for EIP-712 typed data or an EIP-7702 authorization that does not match its standard exactly. */
export function invalidTypedData(message: string): ChainError {
  return new ChainError('INVALID_TYPED_DATA', message);
}

/** The error for a contract interface that cannot decode call data safely. */
export function invalidInterface(message: string): ChainError {
  return new ChainError('INVALID_INTERFACE', message);
}
