import type { ProofResult, WrittenProperty } from '@countersign/judgement';
import type { PolicySource, PolicyUser } from '@countersign/policy';

/** What the prover's worker shall prove. */
export interface ProofOrder {
  readonly policies: readonly PolicySource[];
  readonly users: readonly PolicyUser[];
  readonly rootQuorum: { readonly threshold: number; readonly userIds: readonly string[] };
  readonly properties: readonly WrittenProperty[];
  readonly listSize: number;
  /** The time limit of each question to the solver. */
  readonly timeoutMs: number;
}

/** Why there is no result. */
export type FailureReason =
  /** The page is not cross-origin isolated, or the browser has no shared memory. */
  | 'NOT_ISOLATED'
  /** The service has no solver. */
  | 'NOT_INSTALLED'
  /** The service has a solver of another version. */
  | 'OTHER_VERSION'
  /** The files of the solver did not arrive. */
  | 'NETWORK'
  /** The device does not give the solver its memory. */
  | 'MEMORY'
  /** The property or a policy has an error. */
  | 'INPUT'
  /** The worker did not answer in time. */
  | 'TIME'
  | 'CRASHED';

/** What the worker reports. One RESULTS or FAILED ends it. */
export type ProverReport =
  | { readonly kind: 'LOADING' | 'SOLVING' }
  | { readonly kind: 'RESULTS'; readonly results: readonly ProofResult[] }
  | { readonly kind: 'FAILED'; readonly reason: FailureReason; readonly detail: string };
