/** Ends a command with exit code 1 and no message. */
export class SilentError extends Error {
  override readonly name = 'SilentError';
}
