/** The status of an answer over HTTP, and how long the receiver wants to be left alone. */
export interface ReceiverAnswer {
  readonly status: number;
  readonly retryAfterMs?: number;
}

/** A message could not be delivered. The text of the fault quotes nothing from the message, so it can be stored and logged. */
export class DeliveryFault extends Error {
  override readonly name = 'DeliveryFault';
  /** True if the receiver would refuse the same message again. Then it is not retried. */
  readonly permanent: boolean;

  /** The fault as people of the organization may read it. It may say less than the message, which is for the operator. */
  readonly reason: string;

  /** What the receiver answered, where it did. */
  readonly answer: ReceiverAnswer | undefined;

  constructor(message: string, permanent: boolean, reason = message, answer?: ReceiverAnswer) {
    super(message);
    this.permanent = permanent;
    this.reason = reason;
    this.answer = answer;
  }
}
