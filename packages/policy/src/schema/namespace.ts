import type { Type } from '../types.ts';
import type { PolicyField } from '../value.ts';

/**
 * Something a request has or has not, as a whole. A policy that names an absent namespace does not apply to the request;
 * a namespace that is present but lacks a field is an error.
 */
export interface Namespace {
  /** The dotted path, for example `eth.tx`. It is the key of the value in an evaluation's input. */
  readonly path: string;
  /** The field of a policy that may use it. */
  readonly field: PolicyField;
  readonly type: Type;
  readonly doc: string;
  /** The kinds of activity that always have it. For these its absence is an error, not a reason to step aside. */
  readonly kinds?: readonly string[];
}
