/** A credential cannot be registered. The message is for the sender and contains no secret. */
export class CredentialError extends Error {
  override readonly name = 'CredentialError';
}
