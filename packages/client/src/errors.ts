/** A request that did not succeed. `code` is stable and documented; the message is for people and may improve. */
export class CountersignError extends Error {
  override readonly name = 'CountersignError';
  /** The HTTP status, or 0 when no answer came. */
  readonly status: number;
  /** The `errorCode` of the answer; `UNREACHABLE` when none came, `RESPONSE_INVALID` when it was not one of this service. */
  readonly code: string;
  readonly details: readonly unknown[];

  constructor(status: number, code: string, message: string, options: ErrorOptions & { details?: readonly unknown[] } = {}) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.details = options.details ?? [];
  }
}
