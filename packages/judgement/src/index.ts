export { evaluateOver, foreignUse, type ViewedActivity } from './activity-view.ts';
export { authorityOf, selfServiceResources } from './authority.ts';
export { authorizeByPolicy } from './authorize-by-policy.ts';
export { canonicalEmail } from './canonical-email.ts';
export { policySetOf, preparePolicies } from './compiled-policies.ts';
export { contactFields, contactState } from './contact-state.ts';
export { contactsOf } from './contacts.ts';
export { controlsNamedBy } from './controls/asked.ts';
export { bucketName, bucketPrefix, type Group, groupOfBucket } from './controls/bucket.ts';
export { type Count, type Counted, type CountedRequest, countOf, countsOf } from './controls/counts.ts';
export { FRACTION_DIGITS, formatDecimal, parseDecimal, showAmount } from './controls/decimal.ts';
export { ControlProblem, isControlIdentifier, readDefinition, spellDefinition } from './controls/definition.ts';
export { noteUsage, usageFrom } from './controls/noted.ts';
export { raised, reset } from './controls/raise.ts';
export type { VelocityControlRecord } from './controls/record.ts';
export { usageSentence } from './controls/sentences.ts';
export { updated } from './controls/update.ts';
export type { FreesUp, NotedUsage, Usage, UsageByBucket } from './controls/usage.ts';
export { type ControlValue, comparisonAt, controlValue } from './controls/value.ts';
export { countsUntil, windowStart } from './controls/window.ts';
export { toDecisionRequest } from './decision-request.ts';
export { derived } from './derived.ts';
export { POLICY_LANGUAGE, toPolicySource } from './earlier-policies.ts';
export { denyEarly } from './early-denial.ts';
export { expired } from './expiry.ts';
export { heldBy, idByCredentialId, idByPublicKey, indexCredentials } from './held.ts';
export type * from './internal-records.ts';
export type { Approvable, Authorize, Judgement } from './judgement.ts';
export { demandedStrength, isMeetable, mfaStates } from './mfa.ts';
export { type NotedSubject, noteSubject, type SubjectSource, subjectFrom } from './noted-subject.ts';
export { haveOneKey } from './one-key.ts';
export { oneTimeKeyVerdict } from './one-time-key.ts';
export type {
  JudgedAccount,
  JudgedKey,
  JudgedOrganization,
  JudgedPrivateKey,
  JudgedResource,
  JudgedWallet,
} from './organization.ts';
export { overruled } from './overruled.ts';
export { outcomeText, sameDecision } from './past/comparable-decision.ts';
export { auditedKindOf, type PastChange, PastOrganization } from './past/past-organization.ts';
export { type ParserEngines, type PastSigning, pastSigning } from './past/past-signing.ts';
export { liveApprovals, mfaStatesOf, peopleOf, standingApprovals } from './people.ts';
export { policyOptions, policyOptionsOf } from './policy-options.ts';
export {
  type AuditedBodies,
  type AuditedKind,
  isAudited,
  type RecordBodies,
  type RecordKind,
  type ResourceBodies,
  type ResourceKind,
  recordKinds,
  resourceKinds,
} from './record-kinds.ts';
export type * from './records.ts';
export { scopeRefusal } from './session-scope.ts';
export { seesDecisions, showDecision, showExplained, showOutcome } from './show-decision.ts';
export { showParsed } from './show-effects.ts';
export { signedNamespaces } from './signed-namespaces.ts';
export { signerOf, signingContext, subjectOfKey } from './signing-context.ts';
export { accountAddress, normalizers, spelling } from './spelling.ts';
export { isSession, type StrengthName, strengthOf, strengths } from './strength.ts';
export { isCredentialTouch, type ParsedSubject, type PolicySubject, type Touch } from './subject.ts';
export { unitsOf } from './units.ts';
export type { DecisionRecord, VoteRecord } from './votes.ts';
