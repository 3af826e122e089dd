export type ChainErrorCode =
  | 'INVALID_ADDRESS'
  | 'INVALID_CURVE'
  | 'INVALID_INTERFACE'
  | 'INVALID_MNEMONIC'
  | 'INVALID_PATH'
  | 'INVALID_PUBLIC_KEY'
  | 'INVALID_TRANSACTION'
  | 'INVALID_TYPED_DATA';

/** The input is not what it claims to be. The message is safe to show to the caller: it names the problem, never a secret. */
export class ChainError extends Error {
  override readonly name = 'ChainError';
  readonly code: ChainErrorCode;

  constructor(code: ChainErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
