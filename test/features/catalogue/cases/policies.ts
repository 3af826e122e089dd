import { madeUpId, uniqueName } from '../../../support/world.ts';
import type { CatalogueCases, Stage } from '../support/catalogue-case.ts';

const condition = "activity.kind == 'CREATE_WALLET'";
const policy = (more: object = {}) => ({ policyName: uniqueName('Policy'), effect: 'EFFECT_DENY', condition, ...more });
const selectors = (selector: object) => ({ policyName: uniqueName('Policy'), effect: 'EFFECT_DENY', selectors: [selector] });

async function newPolicy({ root }: Stage): Promise<string> {
  return (await root.result('createPolicy', policy())).policyId;
}

export const policyCases: CatalogueCases = {
  ACTIVITY_TYPE_CREATE_POLICY: {
    succeeds: () => ({
      params: selectors({ subject: 'activity.type', operator: 'OPERATOR_EQUAL', target: 'ACTIVITY_TYPE_CREATE_WALLET' }),
    }),
    refused: () => ({
      params: selectors({ subject: 'activity.nothing', operator: 'OPERATOR_EQUAL', target: 'x' }),
      code: 'POLICY_INVALID',
    }),
  },
  ACTIVITY_TYPE_CREATE_POLICY_V2: {
    succeeds: () => ({
      params: selectors({ subject: 'activity.type', operator: 'OPERATOR_IN', targets: ['ACTIVITY_TYPE_CREATE_WALLET'] }),
    }),
    refused: () => ({
      params: selectors({ subject: 'activity.nothing', operator: 'OPERATOR_IN', targets: ['x'] }),
      code: 'POLICY_INVALID',
    }),
  },
  ACTIVITY_TYPE_CREATE_POLICY_V3: {
    succeeds: () => ({ params: policy({ notes: 'None.' }) }),
    refused: () => ({ params: policy({ condition: 'activity.type ==' }), code: 'POLICY_INVALID' }),
  },
  ACTIVITY_TYPE_CREATE_POLICIES: {
    succeeds: () => ({ params: { policies: [policy(), policy()] } }),
    refused() {
      const twin = policy();
      return { params: { policies: [twin, twin] }, code: 'NAME_TAKEN', fields: ['policies.1.policyName'] };
    },
  },
  ACTIVITY_TYPE_UPDATE_POLICY: {
    succeeds: async (stage) => ({ params: { policyId: await newPolicy(stage), policyNotes: 'Noted.' } }),
    refused: () => ({ params: { policyId: madeUpId() }, code: 'NOT_FOUND', fields: ['policyId'] }),
  },
  ACTIVITY_TYPE_UPDATE_POLICY_V2: {
    succeeds: async (stage) => ({ params: { policyId: await newPolicy(stage), policyName: uniqueName('Policy') } }),
    refused: async (stage) => ({
      params: { policyId: await newPolicy(stage), policyCondition: 'nobody.knows' },
      code: 'POLICY_INVALID',
    }),
  },
  ACTIVITY_TYPE_DELETE_POLICY: {
    succeeds: async (stage) => ({ params: { policyId: await newPolicy(stage) } }),
    refused: () => ({ params: { policyId: madeUpId() }, code: 'NOT_FOUND', fields: ['policyId'] }),
  },
  ACTIVITY_TYPE_DELETE_POLICIES: {
    succeeds: async (stage) => ({ params: { policyIds: [await newPolicy(stage), await newPolicy(stage)] } }),
    refused: async (stage) => ({
      params: { policyIds: [await newPolicy(stage), madeUpId()] },
      code: 'NOT_FOUND',
      fields: ['policyIds.1'],
    }),
  },
};
