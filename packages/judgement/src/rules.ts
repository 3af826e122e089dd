import type { DecisionLimits } from '@countersign/policy';

/** The version of the rules that new decisions are made by. Every decision stores it. */
export const CURRENT_RULES = 4;

/** Decisions of releases that did not store a version were made by these rules. */
const FIRST_RULES = 1;

/**
 * The parts of authorization that differ between versions of the rules, other than policies. Stricter rules add a member here and a new
 * version that sets it.
 * INVARIANT: an existing version never changes. Otherwise decisions of the past could not be made again, and honest audit files would no
 * longer verify.
 */
export interface Rules {
  readonly version: number;
  /** Each root credential meets one step of an MFA policy. A session counts as the credential that it goes back to. */
  readonly mfaStepsByRoot: boolean;
  /** What policies trust, such as contacts and tags of keys, decides who may act. */
  readonly trustedRecordsAreAuthority: boolean;
  /** API keys that a user creates with a limited credential get its limits. */
  readonly credentialsInheritLimits: boolean;
  /** The steps of one decision over all policies. Undefined: each expression has its own limit only. */
  readonly decisionLimits: DecisionLimits | undefined;
  /** The most policies that a stored decision lists. */
  readonly maxListedPolicies: number;
  /** What a policy must name is found by evaluating its condition, not by searching its text. */
  readonly namesByValue: boolean;
  /** DENYs and limits see what the bytes of raw payloads mean, and payloads that hide it can be denied. */
  readonly readsRawPayloads: boolean;
  /** Tokens of an organization go before shipped ones. */
  readonly ownTokensFirst: boolean;
  /** A stored ERC-7730 descriptor counts as an interface of its contract. */
  readonly descriptorsVouch: boolean;
  /** A limit on the number of transactions counts those that are signed as raw payloads. */
  readonly countsRawTransactions: boolean;
  /** A DENY of transactions as such keeps its keys from signing payloads that hide their content, as one on their content does. */
  readonly kindsCoverKeys: boolean;
  /** A message of EIP-191 whose whole content is a hash shows what is signed. */
  readonly hashMessagesShow: boolean;
  /** To limits, every call of a program may move something, also one that moves nothing by its definition. */
  readonly callsHide: boolean;
}

const first: Rules = {
  version: 1,
  mfaStepsByRoot: false,
  trustedRecordsAreAuthority: false,
  credentialsInheritLimits: false,
  decisionLimits: undefined,
  maxListedPolicies: Number.POSITIVE_INFINITY,
  namesByValue: false,
  readsRawPayloads: false,
  ownTokensFirst: true,
  descriptorsVouch: true,
  countsRawTransactions: false,
  kindsCoverKeys: false,
  hashMessagesShow: true,
  callsHide: true,
};

const second: Rules = {
  version: 2,
  mfaStepsByRoot: true,
  trustedRecordsAreAuthority: true,
  credentialsInheritLimits: true,
  decisionLimits: { steps: 500_000, pendingSteps: 2_000_000 },
  maxListedPolicies: 20,
  namesByValue: true,
  readsRawPayloads: false,
  ownTokensFirst: true,
  descriptorsVouch: true,
  countsRawTransactions: false,
  kindsCoverKeys: false,
  hashMessagesShow: true,
  callsHide: true,
};

const third: Rules = {
  ...second,
  version: 3,
  readsRawPayloads: true,
  ownTokensFirst: false,
  descriptorsVouch: false,
};

const fourth: Rules = {
  ...third,
  version: 4,
  countsRawTransactions: true,
  kindsCoverKeys: true,
  hashMessagesShow: false,
  callsHide: false,
};

const versions: ReadonlyMap<number, Rules> = new Map([first, second, third, fourth].map((rules) => [rules.version, rules]));

/** A decision was made by rules that this release does not know. */
export class UnknownRulesError extends Error {
  override readonly name = 'UnknownRulesError';
}

/** Whether this release knows a version of the rules. */
export function isKnownRules(rules: number = FIRST_RULES): boolean {
  return versions.has(rules);
}

/** The rules of a judgement. Throws UnknownRulesError for a version of a later release. */
export function rulesOf({ rules = FIRST_RULES }: { readonly rules?: number | undefined }): Rules {
  const found = versions.get(rules);
  if (found === undefined)
    throw new UnknownRulesError(
      `the decision was made by rules ${rules}, which this release does not know. Use a later release.`,
    );
  return found;
}
