/** Ends a command with exit code 1 when all there is to say has been said. */
export class SilentFault extends Error {
  override readonly name = 'SilentFault';
}
