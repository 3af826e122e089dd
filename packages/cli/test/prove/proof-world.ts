import { PersistentMap } from '@countersign/collections';
import type { ActivityDefinition } from '@countersign/contract';
import {
  authorizeByPolicy,
  besidePolicies,
  CURRENT_RULES,
  countOf,
  decideByCredential,
  type JudgedOrganization,
  type Judgement,
  offlineOptions,
  POLICY_LANGUAGE,
  peopleOf,
  policyOptions,
  policyOptionsOf,
  toDecisionRequest,
  type Usage,
} from '@countersign/judgement';
import type { Decision, DecisionRequest, PolicySource, ProvenActivity } from '@countersign/policy';
import { control, holding } from '../../../judgement/test/support/controls-world.ts';
import { HOUR, judgement, NOW, organization, vote } from '../../../judgement/test/support/world.ts';
import type { World } from '../../../policy/src/prove/symbolic-request.ts';
import type { RealRequest } from './real-requests.ts';

const dates = { createdAtMs: 0, updatedAtMs: 0 };
const people = [{ id: 'a', userTags: ['tag-ops'] }, { id: 'b', userTags: ['tag-ops', 'tag-night'] }, { id: 'c' }, { id: 'root' }];

const controls = {
  c1: control(),
  c2: control({ identifier: 'few', name: 'Few activities', dataSource: { activityExecution: {} } }),
};

/** An organization with people, contacts and controls. Its root user is not an approver here. */
export function makeOrganization(addresses: readonly string[]): JudgedOrganization {
  const plain = organization(people, {}, { threshold: 1, userIds: ['root'] });
  const contact = addresses.map((address, index) => ({
    label: `Contact ${index}`,
    address,
    contactTags: index % 2 === 0 ? ['vendors'] : ['payroll'],
    notes: '',
    ...dates,
  }));
  const { velocityControl } = holding(controls).records;
  const contacts = PersistentMap.from(contact.map((each, index) => [String(index), each] as const));
  return { ...plain, records: { ...plain.records, velocityControl, contact: contacts } };
}

/** The sets of approvers that requests are tried with. None means that the only approval has expired. */
export const approvals: readonly (readonly string[])[] = [['a'], ['b'], ['c'], ['a', 'b'], ['b', 'c'], ['a', 'b', 'c'], []];

/** A request in an organization. */
export function judge(
  where: JudgedOrganization,
  { definition, type, params, subject }: RealRequest,
  approvers: readonly string[],
  hasUsage: boolean,
): Judgement {
  const votes = approvers.length === 0 ? [vote('c', { createdAtMs: NOW - 30 * HOUR })] : approvers.map((id) => vote(id));
  const made = { ...judgement(where as never, votes, { definition, type, params, subject }), rules: CURRENT_RULES };
  return hasUsage ? { ...made, usage: usageOf(made) } : made;
}

/** Usage of every bucket that the request adds to: nothing yet, or far above every limit. */
function usageOf(made: Judgement): ReadonlyMap<string, Usage> {
  const counted = [...made.organization.records.velocityControl.keys()].flatMap((id) => {
    const { counts = [] } = countOf(made, id) ?? {};
    return counts.map(({ bucket }) => ({ control: id, bucket, used: 0n, revision: 1 }) as unknown as Usage);
  });
  return new Map(counted.map((usage) => [usage.bucket, usage]));
}

/** The same organization with policies. */
export function withPolicies(where: JudgedOrganization, sources: readonly PolicySource[]): JudgedOrganization {
  const records = sources.map(({ id, effect, condition, consensus, time }) => {
    const body = { policyName: id, effect, notes: '', language: POLICY_LANGUAGE, ...dates };
    return [
      id,
      {
        ...body,
        ...(condition !== undefined && { condition }),
        ...(consensus !== undefined && { consensus }),
        ...(time !== undefined && { time }),
      },
    ] as const;
  });
  return { ...where, policies: PersistentMap.from(records as never) };
}

/** The decision of the service. */
export function decideAsService(made: Judgement): Decision {
  return decideByCredential(made) ?? authorizeByPolicy.decide(made);
}

export function requestOf(made: Judgement): DecisionRequest {
  return toDecisionRequest(made);
}

/** The activity of a proof, from the same table as the command. */
export function provenActivity(definition: ActivityDefinition, kind: string): ProvenActivity {
  const types = policyOptions.activities.filter((each) => each.kind === kind).map(({ type }) => type);
  return { kind, ...definition.policy, types, ...besidePolicies(definition) };
}

/** The world of a proof that knows only the names of controls, as on the command line. */
export function offlineWorldOf(where: JudgedOrganization, activity: ProvenActivity): World {
  const names = Object.values(controls).map(({ identifier }) => ({ condition: `controls.${identifier}` }));
  return { ...worldOf(where, activity), options: offlineOptions(names) };
}

/** The world of a proof that knows the controls of the organization. */
export function worldOf(where: JudgedOrganization, activity: ProvenActivity): World {
  const users = [...peopleOf(where).users.values()];
  return { activity, users, rootQuorum: where.profile.rootQuorum, options: policyOptionsOf(where) };
}
