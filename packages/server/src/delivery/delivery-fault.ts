/** A message could not be delivered. The text of the fault quotes nothing from the message, so it can be stored and logged. */
export class DeliveryFault extends Error {
  override readonly name = 'DeliveryFault';
  /** True if the receiver would refuse the same message again. Then it is not retried. */
  readonly permanent: boolean;

  constructor(message: string, permanent: boolean) {
    super(message);
    this.permanent = permanent;
  }
}
