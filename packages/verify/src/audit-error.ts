/** Something in an audit file does not hold. The message is a sentence for people, without the line. */
export class AuditError extends Error {
  override readonly name = 'AuditError';
}

/** Throws unless the claim holds. `otherwise` says what does not hold. */
export function must(holds: boolean, otherwise: string | (() => string)): asserts holds {
  if (!holds) throw new AuditError(typeof otherwise === 'string' ? otherwise : otherwise());
}
