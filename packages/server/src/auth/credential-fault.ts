/** A credential cannot be registered. The message tells its sender what is wrong, and holds no secret. */
export class CredentialFault extends Error {
  override readonly name = 'CredentialFault';
}
