import {
  type Decision,
  decide,
  derivedFrom,
  type Explanation,
  emptyPolicySet,
  explain,
  type GrowingPolicySet,
  type NamespaceValues,
  type PolicySet,
} from '@countersign/policy';
import { authorityOf } from './authority.ts';
import { namedIn } from './controls/named.ts';
import { toDecisionRequest } from './decision-request.ts';
import { derived } from './derived.ts';
import { toPolicySource } from './earlier-policies.ts';
import type { Authorize, Judgement } from './judgement.ts';
import { type MustBeNamed, mustBeNamed } from './named-in-policy.ts';
import type { JudgedOrganization } from './organization.ts';
import { usersToShowMore } from './people.ts';
import { policyOptions, policyOptionsOf } from './policy-options.ts';
import type { PolicyRecord } from './records.ts';

/** Compiled policies under their ids, and how many of them name each control, by its id. */
interface Compiled {
  readonly set: GrowingPolicySet;
  readonly naming: ReadonlyMap<string, number>;
}

type Controls = JudgedOrganization['records']['velocityControl'];

/** Compiles the policies of organizations with these controls. A change of the policies compiles what it changed. */
function compilerFor(controls: Controls): (policies: JudgedOrganization['policies']) => Compiled {
  const options = controls.size === 0 ? policyOptions : policyOptionsOf({ records: { velocityControl: controls } });
  const change = ({ set, naming }: Compiled, key: string, after: PolicyRecord | undefined): Compiled => {
    const next = after === undefined ? set.without(key) : set.with(key, toPolicySource(key, after));
    if (controls.size === 0) return { set: next, naming };
    const counts = new Map(naming);
    const add = (policy: PolicySet['policies'][number] | undefined, amount: number) => {
      for (const id of policy === undefined ? [] : namedIn(policy, controls)) counts.set(id, (counts.get(id) ?? 0) + amount);
    };
    add(set.get(key), -1);
    add(next.get(key), 1);
    return { set: next, naming: counts };
  };
  return derivedFrom<PolicyRecord, Compiled>(
    function* compileAll(policies) {
      let made: Compiled = { set: emptyPolicySet(options), naming: new Map() };
      for (const [id, record] of policies) {
        made = change(made, id, record);
        yield undefined;
      }
      return made;
    },
    (from, differences) => differences.reduce((made, { key, after }) => change(made, key, after), from),
  );
}

const withoutControls = compilerFor(new Map());
/** A change of controls compiles all policies of its organization again: what they mean may be another thing. */
const withControls = derived(compilerFor);

function compiledFor({ policies, records: { velocityControl } }: JudgedOrganization): Compiled {
  return (velocityControl.size === 0 ? withoutControls : withControls(velocityControl))(policies);
}

/** The compiled policies of an organization. */
export function policySetOf(organization: JudgedOrganization): GrowingPolicySet {
  return compiledFor(organization).set;
}

/** The ids of the controls that policies of an organization name. */
export function controlsInPolicies(organization: JudgedOrganization): readonly string[] {
  return [...compiledFor(organization).naming].flatMap(([id, count]) => (count > 0 ? [id] : []));
}

/** How many policies that were not asked an explanation looks at. */
const MAX_EXPLAINED = 200;

/** Judges by root quorum, then policies, then self-service. */
export const authorizeByPolicy: Authorize = {
  decide(judgement) {
    const toShowMore = usersToShowMore(judgement);
    if (toShowMore.length === 0) return decideNow(judgement);
    const otherwise = decideNow({ ...judgement, mfaAssumed: true });
    if (otherwise.outcome === 'DENY') return otherwise;
    // Without the submitter's own approval nothing happens, whatever policies would say to a request of nobody.
    const submitterWaits = toShowMore.includes(judgement.votes[0]?.userId ?? '');
    const decision = submitterWaits ? otherwise : decideNow(judgement);
    if (!submitterWaits && decision.outcome !== 'NEEDS_CONSENSUS') return decision;
    const nothing = { mayApprove: [], waiting: [], policyIds: [] };
    const { mayApprove, waiting, policyIds } = decision.outcome === 'NEEDS_CONSENSUS' ? decision : nothing;
    return {
      outcome: 'NEEDS_CONSENSUS',
      mayApprove: [...new Set([...mayApprove, ...toShowMore])].sort(),
      waiting,
      policyIds,
      evaluations: decision.evaluations,
    };
  },

  explain(judgement, among): Explanation {
    const all = policySetOf(judgement.organization);
    const required = mustBeNamed(judgement);
    const toShowMore = usersToShowMore(judgement);
    const judged = toShowMore.length === 0 ? judgement : { ...judgement, mfaAssumed: true as const };
    const { denyDependsOnPeople } = all;
    const candidates = (values: NamespaceValues) => all.candidates(values);
    const set = counting({ policies: toExplain(all, judged, among), denyDependsOnPeople, candidates }, required);
    const explained = explain(set, toDecisionRequest(judged));
    const explanation = toShowMore.length === 0 ? explained : { ...explained, decision: authorizeByPolicy.decide(judgement) };
    if (explanation.decision.outcome === 'ALLOW') return explanation;
    return { ...explanation, changes: [...restrictions(judged, required), ...explanation.changes] };
  },
};

/** The policies to explain: those that are named, or all, or of very many those that are asked and some others. */
function toExplain(all: GrowingPolicySet, judgement: Judgement, among: readonly string[] | undefined) {
  if (among === undefined && all.size <= MAX_EXPLAINED) return all.policies;
  const asked = among ?? decideNow(judgement).evaluations.map(({ policyId }) => policyId);
  const others = among === undefined ? all.first(MAX_EXPLAINED) : [];
  const named = asked.map((id) => all.get(id)).filter((policy) => policy !== undefined);
  return [...new Set([...named, ...others])];
}

function decideNow(judgement: Judgement): Decision {
  return decide(counting(policySetOf(judgement.organization), mustBeNamed(judgement)), toDecisionRequest(judgement));
}

/** The policies that count for a request: every DENY, and each ALLOW that speaks of all that it must name. */
function counting(set: PolicySet, required: readonly MustBeNamed[]): PolicySet {
  if (required.length === 0) return set;
  const counts = ({ effect, source }: PolicySet['policies'][number]) =>
    effect === 'EFFECT_DENY' || required.every(({ isNamedIn }) => isNamedIn(source.condition ?? ''));
  return {
    get policies() {
      return set.policies.filter(counts);
    },
    denyDependsOnPeople: set.denyDependsOnPeople,
    candidates: (values) => set.candidates(values).filter(counts),
  };
}

/** What stands in the way of a request beside its policies. */
function restrictions(judgement: Judgement, required: readonly MustBeNamed[]): string[] {
  const { reserved } = authorityOf(judgement);
  return [
    ...(reserved === undefined ? [] : [`only the root quorum may do this, because ${reserved}`]),
    ...required.map(({ why }) => why),
    ...usersToShowMore(judgement).map((id) => `user ${id} has to approve with what their MFA policies demand`),
  ];
}
