import { OperatorError } from '@countersign/contract';

/** The vault cannot be opened, or stored data is unusable. */
export class VaultError extends OperatorError {
  override readonly name = 'VaultError';
}

/** The stored secret of a key or wallet is missing: it was deleted after the caller read the key, or its row was removed outside the service. */
export class SecretMissing extends VaultError {}

/** The root key cannot be used now, because its token or service does not answer or denies access. A later retry may succeed. */
export class RootKeyUnavailable extends OperatorError {
  override readonly name = 'RootKeyUnavailable';
}

/** The error of calls after `close`. */
export function vaultClosed(): VaultError {
  return new VaultError('the vault is closed', 'start the service again');
}

/**
 * A signature failed verification and was not released. Raise an alarm: either the machine computes wrongly, or the stored public key
 * does not match the private key.
 */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';
  readonly organizationId: string;
  readonly keyId: string;

  constructor(organizationId: string, keyId: string, message: string) {
    super(message);
    this.organizationId = organizationId;
    this.keyId = keyId;
  }
}
