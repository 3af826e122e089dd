/** The HTTP status of a response, and the delay that its Retry-After header requests. */
export interface ReceiverAnswer {
  readonly status: number;
  readonly retryAfterMs?: number;
}

/** A message could not be delivered. The error text never quotes the message, so it can be stored and logged. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** True if the receiver would reject the same message again. It is not retried. */
  readonly permanent: boolean;

  /** The error text for users of the organization. It may omit details of `message`, which is for the operator. */
  readonly reason: string;

  /** The receiver's response, if it sent one. */
  readonly answer: ReceiverAnswer | undefined;

  constructor(message: string, permanent: boolean, reason = message, answer?: ReceiverAnswer) {
    super(message);
    this.permanent = permanent;
    this.reason = reason;
    this.answer = answer;
  }
}
