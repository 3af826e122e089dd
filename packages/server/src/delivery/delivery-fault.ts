/** A message that could not be handed over. Its text holds nothing of the message, so that it can be stored and logged. */
export class DeliveryFault extends Error {
  override readonly name = 'DeliveryFault';
  /** True where the same message would be refused again: it is not tried any more. */
  readonly permanent: boolean;

  constructor(message: string, permanent: boolean) {
    super(message);
    this.permanent = permanent;
  }
}
