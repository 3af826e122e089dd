import type { Subject } from '@countersign/contract';
import type { FieldFlag } from './operation-flags.ts';

/**
 * What the command of an operation shows and sends, as plain data. The bundle contains it for all operations, because making their schemas
 * would take half of the time of a short command.
 */
export interface OperationEntry {
  readonly kind: 'activity' | 'query';
  readonly name: string;
  readonly path: string;
  /** The current type of an activity. Empty for a query. */
  readonly type: string;
  readonly subject: Subject;
  readonly summary: string;
  /** The path that this program calls. */
  readonly requestPath: string;
  /** Whether the parameters contain the organization, as in every query. */
  readonly namesOrganization: boolean;
  /** Whether a call without parameters is valid. */
  readonly needsNothing: boolean;
  readonly fields: readonly FieldFlag[];
  /** The example as a help text. */
  readonly example: string;
}

/** Placeholder for the organization while parameters are validated, so that errors are reported before credentials are needed. */
export const UNKNOWN_ORGANIZATION = '00000000-0000-0000-0000-000000000000';

/** The operations whose parameters contain policies, in which users can write the names of tags. */
const policyOperations: readonly string[] = ['createPolicy', 'createPolicies', 'updatePolicy', 'backtestPolicies'];

/** Whether the parameters contain policies. */
export function containsPolicies({ name }: Pick<OperationEntry, 'name'>): boolean {
  return policyOperations.includes(name);
}
