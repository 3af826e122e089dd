import {
  activityByType,
  activityKind,
  givenParameters,
  judgedByPolicies,
  parameterReader,
  policyFields,
} from '@countersign/contract';
import type { DecisionRequest } from '@countersign/policy';
import { spelling } from '@countersign/server';

/** An activity as the policy engine sees it, or an error in its description. */
export type DescribedActivity =
  | Pick<DecisionRequest, 'activity' | 'rootQuorumOnly'>
  | { readonly problem: string; readonly fix: string };

/** Describes an activity by its type and its parameters in the current version, like the service does. */
export function describeActivity(type: string, parameters: Readonly<Record<string, unknown>>): DescribedActivity {
  const known = activityByType.get(type);
  if (known === undefined) {
    return { problem: `${type} is not an activity type of this service`, fix: 'See docs/reference/activities.md for the types.' };
  }
  const { definition } = known;
  if (definition.rootQuorumOnly) return { activity: { type }, rootQuorumOnly: true };
  if (!judgedByPolicies(definition)) {
    return { problem: `policies do not apply to ${type}`, fix: 'Write the case for the activity that the vote is about.' };
  }
  const wires = [...policyFields(definition).values()].map(({ wire }) => wire);
  const unknown = Object.keys(parameters).find((name) => !wires.includes(name));
  if (unknown !== undefined) {
    const fix = `Policies see these parameters: ${wires.join(', ')}.`;
    return { problem: `${type} has no parameter ${unknown} that policies see`, fix };
  }
  const params = parameterReader(definition, { sent: parameters, understood: () => parameters }, spelling);
  const given = () => givenParameters(definition, parameters);
  return { activity: { type, kind: activityKind(type), ...definition.policy, params, given } };
}
