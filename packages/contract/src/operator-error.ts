/**
 * A fault that the person who runs the service or the command can mend. The message is one line that names the cause; `fix` is one
 * line that says what to do. Each part of the system has its own subclass, so that a caller can tell where the fault lies.
 */
export abstract class OperatorError extends Error {
  abstract override readonly name: string;
  readonly fix: string;

  constructor(message: string, fix: string, options?: ErrorOptions) {
    super(message, options);
    this.fix = fix;
  }
}
