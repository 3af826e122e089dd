import type { Approval, DecisionRequest } from '../request.ts';
import type { Type } from '../types.ts';
import type { PolicyField, PolicyValue } from '../value.ts';
import type { LanguageVersion } from '../version.ts';

/**
 * One namespace: its path, its type, its documentation, and which requests have it. A request has either the whole namespace or none of it.
 * A policy that names an absent namespace does not apply. A missing field of a namespace is an error.
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
  /** The first version of the language that has it. By default the first. */
  readonly since?: LanguageVersion;
  /** Reads the value, if the engine provides it. The host provides the others. */
  readonly read?: (request: DecisionRequest, approval: Approval) => PolicyValue | undefined;
  /** The engine computes the value when a policy reads it. */
  readonly onDemand?: true;
  /** The kinds of activity that always have it. Its absence there is an error, on which a DENY denies. */
  readonly alwaysIn?: ReadonlySet<string>;
  /**
   * The bool namespace that tells whether a request has a value for it. Without a value, only reading it is an error: the policy still
   * applies. Needs `alwaysIn`.
   */
  readonly existsIf?: string;
  /** Those of `alwaysIn` that may not have it, because the host does not know. Only proofs read this: they cover both. */
  readonly uncertainIn?: ReadonlySet<string>;
  /** The kinds of activity that can have it. If absent, all kinds. */
  readonly onlyIn?: ReadonlySet<string>;
  /** Groups of namespaces. A request has at most one namespace of each group. */
  readonly groups?: readonly string[];
  /** A list that is never empty if present. INVARIANT: the host ensures that. */
  readonly neverEmpty?: true;
  /** Its integers are never negative. INVARIANT: their formats have no negative integers, or the parsers reject them. */
  readonly unsigned?: true;
  /** It describes a transaction, which a raw payload can hide. */
  readonly transaction?: true;
}

/** The kinds of activity that can have a namespace. Undefined for all kinds. */
export function kindsOf({ alwaysIn, onlyIn }: Namespace): ReadonlySet<string> | undefined {
  return alwaysIn ?? onlyIn;
}
