import type { PolicyTarget } from '@countersign/contract';
import type { Snapshot } from '../organizations/snapshot.ts';
import type { PolicySubject } from './executor.ts';

/** What is to be judged: an intent, who has approved it so far, and what it is about. */
export interface Judgement {
  readonly organization: Snapshot;
  /** Users of the organization with a live approval, the submitter first. */
  readonly approverIds: readonly string[];
  readonly type: string;
  readonly policy: PolicyTarget;
  readonly intent: unknown;
  readonly subject: PolicySubject;
}

export type Verdict =
  | { readonly outcome: 'ALLOW'; readonly reason: string }
  | { readonly outcome: 'NEEDS_CONSENSUS'; readonly reason: string }
  | { readonly outcome: 'DENY'; readonly reason: string };

/** The seam where the policy engine plugs in. Pure: the same judgement gives the same verdict. */
export type Authorize = (judgement: Judgement) => Verdict;

/**
 * Who may act before policies speak: the root quorum may do everything; a user may change the user's own credentials; nobody else
 * may do anything.
 */
export const authorizeByRootQuorum: Authorize = ({ organization, approverIds, policy, subject }) => {
  const { threshold, userIds } = organization.organization.rootQuorum;
  const approvals = new Set(approverIds.filter((id) => userIds.includes(id)));
  if (approvals.size >= threshold) return { outcome: 'ALLOW', reason: 'the root quorum approved' };
  const ownCredentials =
    policy.resource === 'CREDENTIAL' &&
    subject.credentialsOf !== undefined &&
    approverIds.every((id) => id === subject.credentialsOf);
  if (ownCredentials) return { outcome: 'ALLOW', reason: 'a user may change the user’s own credentials' };
  if (approvals.size > 0) {
    return { outcome: 'NEEDS_CONSENSUS', reason: `${approvals.size} of ${threshold} root users approved` };
  }
  return { outcome: 'DENY', reason: 'the caller is not in the root quorum and no policy allows this' };
};
