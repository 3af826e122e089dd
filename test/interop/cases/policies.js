import assert from 'node:assert/strict';
import { checkFields } from '../support/check-fields.js';
import { nameFor, newSubOrganization } from '../support/world.js';

const policyFields = {
  policyId: 'id',
  policyName: 'text',
  effect: 'text',
  consensus: 'string',
  condition: 'string',
  notes: 'string',
  createdAt: 'time',
  updatedAt: 'time',
};
const interfaceFields = {
  organizationId: 'id',
  smartContractInterfaceId: 'id',
  smartContractAddress: 'text',
  smartContractInterface: 'text',
  type: 'text',
  label: 'text',
  notes: 'string',
  createdAt: 'time',
  updatedAt: 'time',
};

/** Policies, contract interfaces, and activities that need several approvers. */
export const policies = {
  async createPolicy({ client }) {
    const answer = checkFields(await client.createPolicy(policy()), { policyId: 'id' });
    assert.ok(answer.activity.intent.createPolicyIntentV3.policyName);
  },

  async createPolicies({ client }) {
    const answer = await client.createPolicies({ policies: [policy(), policy()] });
    assert.equal(checkFields(answer, { policyIds: 'ids' }).policyIds.length, 2);
  },

  async getPolicy({ client }) {
    const { policyId } = await client.createPolicy(policy());
    checkFields((await client.getPolicy({ policyId })).policy, policyFields);
  },

  async getPolicies({ client }) {
    const { policyId } = await client.createPolicy(policy());
    const { policies: all } = await client.getPolicies({});
    checkFields(
      all.find((each) => each.policyId === policyId),
      policyFields,
    );
  },

  async updatePolicy({ client }) {
    const { policyId } = await client.createPolicy(policy());
    const answer = await client.updatePolicy({ policyId, policyName: nameFor('policy') });
    assert.equal(answer.policyId, policyId);
    assert.ok(answer.activity.result.updatePolicyResultV2);
  },

  async deletePolicy({ client }) {
    const { policyId } = await client.createPolicy(policy());
    assert.equal((await client.deletePolicy({ policyId })).policyId, policyId);
  },

  async deletePolicies({ client }) {
    const { policyIds } = await client.createPolicies({ policies: [policy(), policy()] });
    assert.deepEqual((await client.deletePolicies({ policyIds })).policyIds, policyIds);
    await assert.rejects(client.getPolicy({ policyId: policyIds[0] }), { code: 5 });
  },

  async getPolicyEvaluations({ client }) {
    const { activity } = await client.createPolicy(policy());
    checkFields(await client.getPolicyEvaluations({ activityId: activity.id }), { policyEvaluations: 'list' });
  },

  async createSmartContractInterface({ client }) {
    checkFields(await client.createSmartContractInterface(contract()), { smartContractInterfaceId: 'id' });
  },

  async getSmartContractInterface({ client }) {
    const { smartContractInterfaceId } = await client.createSmartContractInterface(contract());
    const answer = await client.getSmartContractInterface({ smartContractInterfaceId });
    checkFields(answer.smartContractInterface, interfaceFields);
  },

  async getSmartContractInterfaces({ client }) {
    const { smartContractInterfaceId: id } = await client.createSmartContractInterface(contract());
    const { smartContractInterfaces } = await client.getSmartContractInterfaces({});
    checkFields(
      smartContractInterfaces.find((each) => each.smartContractInterfaceId === id),
      interfaceFields,
    );
  },

  async deleteSmartContractInterface({ client }) {
    const { smartContractInterfaceId } = await client.createSmartContractInterface(contract());
    const answer = await client.deleteSmartContractInterface({ smartContractInterfaceId });
    assert.equal(answer.smartContractInterfaceId, smartContractInterfaceId);
  },

  async getActivity({ client }) {
    const { activity } = await client.createPolicy(policy());
    const answer = await client.getActivity({ activityId: activity.id });
    assert.deepEqual(answer.activity, { ...activity, ...readOnly(answer.activity) });
  },

  async getActivities({ client }) {
    const { activity } = await client.createPolicy(policy());
    const { activities } = await client.getActivities({ filterByType: ['ACTIVITY_TYPE_CREATE_POLICY_V3'] });
    assert.deepEqual(activities[0], { ...activity, ...readOnly(activities[0]) });
  },

  async approveActivity(world) {
    const { clients } = await newSubOrganization(world, { people: 2, threshold: 2 });
    const { activity } = await clients[0].createPolicy(policy());
    assert.equal(activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
    const answer = await clients[1].approveActivity({ fingerprint: activity.fingerprint });
    assert.equal(answer.activity.id, activity.id);
    assert.equal(answer.activity.status, 'ACTIVITY_STATUS_COMPLETED');
    checkFields(answer.createPolicyResult, { policyId: 'id' });
  },

  async rejectActivity(world) {
    const { clients } = await newSubOrganization(world, { people: 2, threshold: 2 });
    const { activity } = await clients[0].createPolicy(policy());
    const answer = await clients[1].rejectActivity({ fingerprint: activity.fingerprint });
    assert.equal(answer.activity.id, activity.id);
    assert.equal(answer.activity.status, 'ACTIVITY_STATUS_REJECTED');
  },
};

const policy = () => ({
  policyName: nameFor('policy'),
  effect: 'EFFECT_ALLOW',
  condition: "activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'",
  consensus: "approvers.any(user, user.id == '00000000-0000-4000-8000-000000000000')",
  notes: '',
});

const abi = [
  {
    type: 'function',
    name: 'transfer',
    stateMutability: 'nonpayable',
    outputs: [],
    inputs: [
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
    ],
  },
];

const contract = () => ({
  smartContractAddress: `0x${crypto.randomUUID().replaceAll('-', '').padEnd(40, '0')}`,
  smartContractInterface: JSON.stringify(abi),
  type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
  label: nameFor('contract'),
  notes: '',
});

/** What only a reader of an activity is told, after a look at it: who decided, and what the request changed. */
function readOnly({ authorization, comparison }) {
  assert.equal(authorization.decided.text, 'Allowed by the root quorum');
  assert.ok(comparison.changes.length > 0);
  return { authorization, comparison };
}
