/** A credential that cannot be registered. The message says what is wrong with it, for the person who sent it; it holds no secret. */
export class CredentialFault extends Error {
  override readonly name = 'CredentialFault';
}
