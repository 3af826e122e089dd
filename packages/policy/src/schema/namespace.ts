import type { Approval, DecisionRequest } from '../request.ts';
import type { Type } from '../types.ts';
import type { PolicyField, PolicyValue } from '../value.ts';

/**
 * One namespace: its path, its type, its documentation, and which requests have it. A request has a namespace as a whole or not
 * at all. A policy that names an absent namespace does not apply; a namespace that lacks a field is an error.
 */
export interface Namespace {
  /** The dotted path, for example `eth.tx`. */
  readonly path: string;
  /** The field of a policy that may use it. */
  readonly field: PolicyField;
  readonly type: Type;
  readonly doc: string;
  /** An expression that uses it, for the reference. A test compiles it. */
  readonly example?: string;
  /** The value, where the engine itself provides it. The host provides the others. */
  readonly read?: (request: DecisionRequest, approval: Approval) => PolicyValue | undefined;
  /** The engine makes the value when a policy asks for it. */
  readonly onDemand?: true;
  /** The kinds of activity that always have it. Its absence there is an error, and no reason for a DENY to step aside. */
  readonly alwaysIn?: ReadonlySet<string>;
  /** The kinds of activity that can have it; all of them when absent. */
  readonly onlyIn?: ReadonlySet<string>;
  /** Groups of which a request has at most one namespace. */
  readonly groups?: readonly string[];
  /** A list that has an element in every request that has it. INVARIANT: the host sees to that. */
  readonly neverEmpty?: true;
  /** Its integers are never below zero. INVARIANT: their formats have no negative ones, or the parsers reject them. */
  readonly unsigned?: true;
  /** It shows a transaction, which a raw payload can hide. */
  readonly transaction?: true;
}

/** The kinds of activity that can have a namespace; undefined for all. */
export function kindsOf({ alwaysIn, onlyIn }: Namespace): ReadonlySet<string> | undefined {
  return alwaysIn ?? onlyIn;
}
