import { randomBytes } from 'node:crypto';
import {
  createOrganization,
  createPolicy,
  memberAt,
  type Organization,
  policyParams,
} from '../../test/features/policies/support.ts';
import { type Caller, nextTimestampMs } from '../../test/support/caller.ts';
import type { MeasuredRequest } from '../../test/support/measure-operation.ts';
import { createPrivateKey, signParams } from '../../test/support/world.ts';
import { parsingCases } from './parsing.ts';

/** One operation to measure. */
interface WorkCase {
  readonly name: string;
  readonly request: MeasuredRequest;
}

const POLICIES = 60;
/** Few enough that one request may create them. */
const TOGETHER = 7;
const signing = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2';

/** A condition of almost the maximum length that no signature satisfies. The index of policies cannot skip it. */
function longCondition(seed: number): string {
  const clauses = Array.from({ length: 640 }, (_, at) => `activity.params.payload != '${seed + at}'`);
  return `${clauses.join(' && ')} && !(1 < 2)`;
}

/** Creates an organization with 60 long policies that deny and one that allows, and lists what to measure in it and in an organization without policies. */
export async function prepareWork(parent: Caller): Promise<readonly WorkCase[]> {
  const organization = await createOrganization(parent, { members: 2 });
  const { root } = organization;
  const { caller: member } = memberAt(organization, 0);
  const key = await createPrivateKey(root, 'CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM']);
  for (let at = 0; at < POLICIES; at += TOGETHER) await createTogether(organization, at);
  await createPolicy(root, 'ALLOW', { condition: "activity.action == 'SIGN'" });
  const allowed = await member.submit('signRawPayload', signParams(key));
  const activityId: string = allowed.body.activity.id;
  const payload = () => ({ ...signParams(key), payload: randomBytes(32).toString('hex') });
  const simulated = (explain: boolean) => ({ type: signing, parameters: signParams(key), explain });
  const changed = {
    update: [{ policyId: await createPolicy(root, 'DENY', { condition: 'eth.tx.value < 1' }), policyEffect: 'EFFECT_ALLOW' }],
  };
  const { root: first } = await createOrganization(parent);
  const parsing = await parsingCases(first);
  const signer = first.with({ dialect: 'turnkey' });
  return [
    submit('sign, allowed', member, 'signRawPayload', payload),
    submit('create user, denied', member, 'createUserTag', () => ({ userTagName: randomBytes(8).toString('hex'), userIds: [] })),
    query('explain_activity', member, 'explainActivity', { activityId }),
    query('list_audit_records', member, 'listAuditRecords', {}),
    query('list_past_requests', member, 'listPastRequests', { range: { last: 20 } }),
    query('backtest_policies', member, 'backtestPolicies', { policies: changed, range: { last: 20 } }),
    query('simulate_activity', member, 'simulateActivity', simulated(false)),
    query('simulate_activity, explained', member, 'simulateActivity', simulated(true)),
    submit('create_policies, 7 × 30 KB', root, 'createPolicies', () => ({ policies: longPolicies(Number(nextTimestampMs())) })),
    ...parsing.map(({ name, activity, params }) => submit(name, signer, activity, params)),
  ];
}

async function createTogether({ root }: Organization, from: number): Promise<void> {
  await root.result('createPolicies', { policies: longPolicies(from).slice(0, POLICIES - from) });
}

function longPolicies(seed: number): readonly object[] {
  return Array.from({ length: TOGETHER }, (_, at) => policyParams('DENY', { condition: longCondition(seed + at) }));
}

function submit(name: string, caller: Caller, activity: Parameters<Caller['submit']>[0], params: () => object): WorkCase {
  return { name, request: { caller, path: caller.submitPath(activity), body: () => caller.submitBody(activity, params()) } };
}

function query(name: string, caller: Caller, operation: Parameters<Caller['query']>[0], fields: object): WorkCase {
  const body = JSON.stringify({ organizationId: caller.organizationId, ...fields });
  return { name, request: { caller, path: caller.queryPath(operation), body: () => body } };
}
