import type { Span } from '../syntax/span.ts';

/** Why an expression has no value. Codes are stable; messages may improve. */
export const evaluationErrorCodes = {
  NAMESPACE_ABSENT: 'The request is not of the kind that has this namespace',
  MISSING_FIELD: 'The record does not have this field',
  MISSING_KEY: 'The map does not have this key',
  INDEX_OUT_OF_RANGE: 'The index or slice lies outside the list or text',
  TYPE_MISMATCH: 'The value does not have the type that the operation needs',
  DIVISION_BY_ZERO: 'An integer is divided by zero',
  INTEGER_TOO_LARGE: 'A computed integer has more bits than the limit',
  LIMIT_EXCEEDED: 'The evaluation took more steps than the limit',
  INVALID_POLICY: 'The stored expression does not parse or check',
} as const satisfies Record<string, string>;

export type EvaluationErrorCode = keyof typeof evaluationErrorCodes;

/** An evaluation error. It is returned, never thrown: it is as common as a result. */
export class EvaluationError {
  readonly code: EvaluationErrorCode;
  readonly span: Span;
  readonly message: string;

  constructor(code: EvaluationErrorCode, span: Span, message: string) {
    this.code = code;
    this.span = span;
    this.message = message;
  }

  /**
   * Whether the expression applies to another kind of request.
   * SECURITY: a DENY with such an error does not apply. A DENY with any other error denies.
   */
  get notApplicable(): boolean {
    return this.code === 'NAMESPACE_ABSENT';
  }

  /** Whether the request has no value at a path. The path exists in requests of this kind. */
  get isAbsence(): boolean {
    return this.code === 'MISSING_FIELD' || this.code === 'MISSING_KEY' || this.code === 'INDEX_OUT_OF_RANGE';
  }
}
