/** A failure that the agent gets as the result of a tool, with the next step. */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** Stable, for programs. */
  readonly code: string;
  readonly next: string;

  constructor(code: string, message: string, next: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.next = next;
  }
}
