export { evaluateOver, foreignUse, type ViewedActivity } from './activity-view.ts';
export { authorityOf, selfServiceResources } from './authority.ts';
export { isAuthorityActivity } from './authority-activities.ts';
export {
  type AuthorizedStep,
  type AuthorizingVote,
  authorizationOf,
  type CredentialKind,
  type StepAuthorization,
} from './authorization.ts';
export { authorizeByPolicy } from './authorize-by-policy.ts';
export { type BesidePolicies, besidePolicies } from './beside-policies.ts';
export { canonicalEmail } from './canonical-email.ts';
export { compareActivity, isCompared } from './compare/compare-activity.ts';
export { queriesFor } from './compare/kinds.ts';
export { operations as comparedOperations } from './compare/operations.ts';
export { policySetOf, preparePolicies } from './compiled-policies.ts';
export { contactFields, contactState } from './contact-state.ts';
export { contactsOf } from './contacts.ts';
export { type Count, type Counted, type CountedRequest, countOf, countsOf } from './controls/amounts.ts';
export { bucketName, bucketPrefix, type Group, groupOfBucket } from './controls/bucket.ts';
export { namedIn } from './controls/control-identifiers.ts';
export { FRACTION_DIGITS, formatDecimal, parseDecimal, showAmount } from './controls/decimal.ts';
export {
  byCurrentRules,
  type ControlDefinition,
  ControlProblem,
  isControlIdentifier,
  readDefinition,
  spellDefinition,
} from './controls/definition.ts';
export { limitSentence } from './controls/limit-sentence.ts';
export { raised, reset } from './controls/raise-limit.ts';
export type { VelocityControlRecord } from './controls/record.ts';
export { usageSentence } from './controls/sentences.ts';
export { serializeUsage, usageFrom } from './controls/stored-usage.ts';
export { updated } from './controls/update.ts';
export type { FreesUp, StoredUsage, Usage, UsageByBucket } from './controls/usage.ts';
export { controlsNamedBy } from './controls/used-controls.ts';
export { type ControlValue, comparisonAt, controlValue } from './controls/value.ts';
export { countsUntil, windowStart } from './controls/window.ts';
export { isSession, type StrengthName, strengthOf, strengths } from './credential-strength.ts';
export {
  credentialsOfUser,
  decideByCredential,
  demandsMoreThanMail,
  expired,
  idByCredentialId,
  idByPublicKey,
  indexCredentials,
  oneTimeKeyDecision,
  oneTimeKeyMay,
  scopeRefusal,
} from './credentials.ts';
export { decideRequest, explainRequest, withRawContent } from './decide-request.ts';
export { decidedBy, deniedWords, type PolicyNameOf } from './decided-by.ts';
export { toDecisionRequest } from './decision-request.ts';
export { denyEarly, denyFrozen, type SureDenials, surelyDeniedInSteps } from './early-denial.ts';
export {
  countsFrozenUsers,
  freezeSentence,
  frozenWords,
  isFreezeActivity,
  isFrozenUser,
  type Suspension,
  suspensionOf,
} from './freezes.ts';
export {
  HASH_SWITCH_FORM,
  type HashSwitch,
  hashSwitchOf,
  NO_BLIND_HASHES,
  parseHashSwitch,
  settingFor,
  showHashSwitch,
} from './hash-switch.ts';
export { coversAny, hiddenContent, rulesThatHashesAvoid } from './hidden-content.ts';
export { type InheritedLimits, inheritedLimits, inheritedSeconds } from './inheritance.ts';
export type * from './internal-records.ts';
export type { Approvable, Authorize, Judgement } from './judgement.ts';
export { demandedStrength, mfaStates } from './mfa.ts';
export { isMeetable } from './mfa-factors.ts';
export { normalizers, spelling } from './normalizers.ts';
export type {
  JudgedAccount,
  JudgedKey,
  JudgedOrganization,
  JudgedPrivateKey,
  JudgedResource,
  JudgedSecret,
  JudgedWallet,
} from './organization.ts';
export { outcomeText, sameDecision } from './past/comparable-decision.ts';
export { auditedKindOf, type PastChange, PastOrganization } from './past/past-organization.ts';
export { type ParserEngines, type PastSigning, pastSigning } from './past/past-signing.ts';
export { liveApprovals, mfaStatesOf, peopleOf, standingApprovals } from './people.ts';
export { type PolicyContent, type PolicyUpdate, policyContent, updatedContent } from './policy-content.ts';
export { POLICY_LANGUAGE, toPolicySource } from './policy-language-1.ts';
export { policyOptions, policyOptionsOf } from './policy-options.ts';
export { offlineOptions } from './prove/offline-options.ts';
export { type CounterExampleRecord, type ProofResult, type ProofSettings, resultLines } from './prove/proof-result.ts';
export { PROVEN_BY_DEFAULT, ProofInputError, type PropertyToProve, toProperty, type WrittenProperty } from './prove/property.ts';
export { type ProofTask, proveAll } from './prove/prove-all.ts';
export { type RunningZ3, type Solver, startSolver, type Z3Module } from './prove/solver.ts';
export {
  type PayloadContent,
  payloadBytes,
  payloadContent,
  rawContent,
} from './raw-content.ts';
export { isOwnActivity, isReadingRestricted, mayRead, mayReadInSteps, type Reading } from './reading.ts';
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
export { CURRENT_RULES, isKnownRules, type Rules, rulesOf, UnknownRulesError } from './rules.ts';
export { isSameKey } from './same-key.ts';
export {
  alsoSigned,
  type CompletedBitcoinTransaction,
  type CompletedEthReplacement,
  type CompletedEthTransaction,
  type CompletedEthUndelegation,
  type CompletedSolTransaction,
  type CompletedTronTransaction,
  changedParameter,
  describeSent,
  isSponsored,
  readingOf,
  type SendingName,
  sameTransaction,
  sendingKeyField,
  sendsTransaction,
  type TransactionToSend,
  transactionToSend,
  undelegationFields,
} from './sending/sent-transaction.ts';
export { seesDecisions, showDecision, showExplained, showOutcome } from './show-decision.ts';
export { contentToShow, showParsed } from './show-effects.ts';
export { noPayment, signedNamespaces } from './signed-namespaces.ts';
export { type SigningSource, signerOf, signingContext, subjectOfKey, tokenListOf } from './signing-context.ts';
export { type StoredSubject, type SubjectSource, serializeSubject, subjectFrom } from './stored-subject.ts';
export {
  isCredentialTouch,
  type ParsedSubject,
  type PolicySubject,
  type RawContent,
  type Reading as RawReading,
  type Touch,
} from './subject.ts';
export { policiesNaming, policiesTrusting } from './trusted-attributes.ts';
export { unitsOf } from './units.ts';
export type { DecisionRecord, VoteRecord } from './votes.ts';
export { harms, hostileRequests } from './worst-case/corpus.ts';
export type { Harm, HostileRequest } from './worst-case/hostile-request.ts';
export type { Holder, HostileChain } from './worst-case/imagined-keys.ts';
export { organizationOf, recordOf } from './worst-case/offline-organization.ts';
export { type OlderLimit, olderLimits } from './worst-case/older-limits.ts';
export { released, releasedInSteps } from './worst-case/released.ts';
export { type StricterPolicy, stricterPolicies } from './worst-case/stricter.ts';
export { byGroup, harmOf, quoted, releasedWords, type TagName, worstCaseWords } from './worst-case/words.ts';
export {
  type AllowedRequest,
  type TriedRequest,
  WORST_CASE_STEPS,
  type WorstCase,
  worstCase,
  worstCaseInSteps,
} from './worst-case/worst-case.ts';
