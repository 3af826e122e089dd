/** Ends a command with exit code 1 without another message. */
export class SilentFault extends Error {
  override readonly name = 'SilentFault';
}
