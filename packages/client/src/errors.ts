/** A request that did not succeed. `code` is stable and documented; the message is for people and may improve. */
export class CountersignError extends Error {
  override readonly name = 'CountersignError';
  /** The HTTP status, or 0 without a response. */
  readonly status: number;
  /** The response's `errorCode`; `UNREACHABLE` without a response, `RESPONSE_INVALID` for one that is not from this service. */
  readonly code: string;
  readonly details: readonly unknown[];

  constructor(status: number, code: string, message: string, options: ErrorOptions & { details?: readonly unknown[] } = {}) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.details = options.details ?? [];
  }
}
