import { OperatorFault } from '@countersign/contract';

/** The vault cannot be opened, or cannot use something that is stored. */
export class VaultFault extends OperatorFault {
  override readonly name = 'VaultFault';
}

/** The fault of every call after `close`. */
export function vaultClosed(): VaultFault {
  return new VaultFault('the vault is closed', 'start the service again');
}

/**
 * A signature failed its own check and was not released. This is an alarm: either the machine computes wrongly, or the stored public
 * key does not belong to the private key.
 */
export class SignatureFault extends Error {
  override readonly name = 'SignatureFault';
  readonly organizationId: string;
  readonly keyId: string;

  constructor(organizationId: string, keyId: string, message: string) {
    super(message);
    this.organizationId = organizationId;
    this.keyId = keyId;
  }
}
