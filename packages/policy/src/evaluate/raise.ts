import type { Span } from '../syntax/span.ts';
import { isList, type PolicyValue } from '../value.ts';
import { EvaluationError } from './evaluation-error.ts';

/** Equality of two values that are not literals. Only scalars of the same type can be compared. */
export function equal(left: PolicyValue, right: PolicyValue, span: Span): boolean | EvaluationError {
  if (typeof left === 'object') return mismatch('bool, int or string', left, span);
  return typeof left === typeof right ? left === right : mismatch(typeof left, right, span);
}

/** The request lacks a namespace. */
export function absent(namespace: string, span: Span): EvaluationError {
  return new EvaluationError('NAMESPACE_ABSENT', span, `this request has no \`${namespace}\``);
}

/** A record lacks a field. */
export function missing(name: string, span: Span): EvaluationError {
  return new EvaluationError('MISSING_FIELD', span, `\`${name}\` has no value in this request`);
}

/** An error that names both types. Messages do not contain values. */
export function mismatch(wanted: string, value: PolicyValue, span: Span): EvaluationError {
  return new EvaluationError('TYPE_MISMATCH', span, `expected ${typeWord(wanted)}, but the value is ${typeWord(kindOf(value))}`);
}

function kindOf(value: PolicyValue): string {
  if (isList(value)) return 'list';
  return typeof value === 'object' ? 'map' : typeof value;
}

function typeWord(kind: string): string {
  return (
    { bigint: 'an int', int: 'an int', boolean: 'a bool', bool: 'a bool', string: 'a string', list: 'a list', map: 'a map' }[
      kind
    ] ?? kind
  );
}
