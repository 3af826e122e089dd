import type { Span } from '../syntax/span.ts';
import type { PolicyField } from '../value.ts';

/** Every warning of the static checks, with its meaning. Warnings never prevent a policy from being created. */
export const warningCodes = {
  NEVER_MATCHES: 'No request can satisfy the policy',
  APPLIES_TO: 'The policy can apply to some activity types only, because the others lack what it names',
  EXPIRED: 'The time of the policy has passed',
  UNREACHABLE_CONSENSUS: 'All users together cannot satisfy the consensus',
  APPROVAL_CAN_BLOCK: 'One more approval can make the consensus false',
  SHADOWED: 'A DENY applies to everything that this ALLOW allows',
  REDUNDANT: 'Another policy already does everything that this one does',
  RAW_SIGNING_SIDESTEP: 'Rules for transactions can be avoided by signing raw payloads, such as the digest',
  HASHES_DENIED: 'Keys that a DENY on transactions covers sign no bare hashes',
  VACUOUS_ALL: 'A rule for all elements of a list is true when the list is empty',
  DEAD_COMPARISON: 'A comparison with a literal that the text can never be',
  DENY_SIDESTEPPED: 'A DENY on one activity type leaves others that do the same',
  RECEIVER_NOT_CHECKED: 'A DENY on the receiver of a transaction does not see who receives a token',
  TRANSACTION_NOT_LIMITED: 'An ALLOW on transactions leaves the fee, the chain or further effects open',
  UNIT_WITHOUT_ASSET: 'An amount has a unit, and nothing says that it is compared with that asset',
  EFFECTS_NOT_LIMITED: 'A rule for a part of the effects leaves the others open',
  TOKENS_NOT_LIMITED: 'A limit on the coin leaves tokens open',
  TOTAL_WITHOUT_ASSET: 'A total of one asset leaves payments in others open',
  USE_PAYMENTS: 'Effects are filtered by hand where `tx.is_payment` says it',
  SYMBOL_COMPARED: 'A symbol is compared instead of the asset',
  OTHER_ASSETS_FREE: 'A limit says nothing about assets that it does not count',
  OTHER_ASSETS_DENIED: 'A limit that denies other assets is in a DENY, or alone in a branch',
  EVERY_OPERAND: 'An MFA condition or a session scope evaluates a part that can have no value',
  QUOTED_INTEGER: 'An integer is written in quotes',
  NOT_OFFERED: 'The policy names an activity type that the service does not offer',
  NOT_FOR_READING: 'The policy names queries and counts for none of them',
  CALL_NOT_CHECKED: 'The policy checks the contract, but not the call',
  ALLOWS_EVERYTHING: 'The policy allows every kind of activity',
  LOCKS_OUT: 'The policy leaves only the root quorum able to act',
  ROOT_NOT_BOUND: 'One root user alone meets the root quorum, and no DENY binds the root quorum',
  ROOT_QUORUM_UNREACHABLE: 'The root quorum has fewer members than its threshold',
} as const satisfies Record<string, string>;

export type WarningCode = keyof typeof warningCodes;

/** A probable mistake in a set of policies. */
export interface PolicyWarning {
  readonly code: WarningCode;
  /** Absent if the warning is about the organization, not about one policy. */
  readonly policyId?: string;
  readonly message: string;
  readonly help?: string;
  /** A request that shows the gap: some of its fields by name. */
  readonly example?: Readonly<Record<string, string>>;
  /** Other policies that contribute to it. */
  readonly related?: readonly string[];
  /** With APPLIES_TO: the kinds of activity, or single types if not all versions are included. */
  readonly appliesTo?: readonly string[];
  readonly field?: PolicyField;
  readonly span?: Span;
}
