import { offlineOptions } from '@countersign/judgement';
import { checkPolicy, lintPolicies, type PolicySource, policyReach, renderDiagnostic } from '@countersign/policy';
import { type FileWorstCase, worstCasesOf } from './worst-cases.ts';

type Problem = ReturnType<typeof checkPolicy>[number];

/** What `policy check` finds in a file. */
export interface FileFindings {
  readonly file: string;
  /** How many policies the file contains. */
  readonly policies: number;
  readonly errors: readonly (Problem & { readonly policy: string; readonly drawing: string })[];
  readonly warnings: ReturnType<typeof lintPolicies>;
  readonly reach: readonly (Partial<NonNullable<ReturnType<typeof policyReach>>> & { readonly policy: string })[];
  readonly worstCases: readonly FileWorstCase[];
}

/** Checks the policies of a file: errors, warnings, the activities that they apply to, and the worst that they allow. */
export function checkedPolicies(file: string, policies: readonly PolicySource[], nowMs: number): FileFindings {
  const policyOptions = offlineOptions(policies);
  const errors = policies.flatMap((policy) =>
    checkPolicy(policy, policyOptions).map((diagnostic) => ({
      policy: policy.id,
      ...diagnostic,
      drawing: renderDiagnostic(policy[diagnostic.field] ?? '', diagnostic),
    })),
  );
  const reach = policies.map((policy) => ({ policy: policy.id, ...policyReach(policy, policyOptions) }));
  const worstCases = errors.length > 0 ? [] : worstCasesOf(policies, nowMs);
  return { file, policies: policies.length, errors, warnings: lintPolicies(policies, policyOptions), reach, worstCases };
}
