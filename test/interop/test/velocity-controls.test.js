import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkFields } from '../support/check-fields.js';
import { startServer } from '../support/start-server.js';
import { connectHttp, nameFor } from '../support/world.js';

const fields = {
  velocityControlId: 'id',
  organizationId: 'id',
  name: 'text',
  identifier: 'text',
  createdAt: 'time',
  updatedAt: 'time',
};

/** Only @turnkey/http has methods for velocity controls. */
describe('velocity controls, through @turnkey/http', () => {
  let server;
  let http;
  let organizationId;

  before(async () => {
    server = await startServer();
    http = connectHttp(server);
    organizationId = server.credentials.organizationId;
  });
  after(() => server.stop());

  const definition = [{ caip19: 'eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', decimals: '6' }];
  const parameters = (more = {}) => ({
    name: nameFor('control'),
    identifier: nameFor('control').replace(' ', '_'),
    dataSource: { chainAssetTransfer: { definition, filter: { activity: [] }, phase: { signature: {} } } },
    aggregation: {
      method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
      operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
      threshold: '100000.000000000000000001',
      window: { rolling: { duration: '86400' } },
      groupBy: { organization: {} },
    },
    ...more,
  });
  const submit = (method, type, params) =>
    http[method]({ type: `ACTIVITY_TYPE_${type}`, timestampMs: String(Date.now()), organizationId, parameters: params });

  async function create(params = parameters()) {
    const { activity } = await submit('createVelocityControl', 'CREATE_VELOCITY_CONTROL', params);
    assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED');
    return activity;
  }

  test('createVelocityControl', async () => {
    const { intent, result } = await create();
    checkFields(intent.createVelocityControlIntent, { name: 'text', identifier: 'text' });
    checkFields(result.createVelocityControlResult, { velocityControlId: 'id' });
  });

  test('getVelocityControl gives back what was created', async () => {
    const params = parameters();
    const { velocityControlId } = (await create(params)).result.createVelocityControlResult;
    const { velocityControl } = await http.getVelocityControl({ organizationId, velocityControlId });
    checkFields(velocityControl, fields);
    assert.deepEqual(velocityControl.aggregation, params.aggregation);
    assert.deepEqual(velocityControl.dataSource.chainAssetTransfer.definition, definition);
  });

  test('listVelocityControls', async () => {
    const { velocityControlId } = (await create()).result.createVelocityControlResult;
    const { velocityControls, pageInfo } = await http.listVelocityControls({
      organizationId,
      paginationOptions: { limit: '100' },
    });
    checkFields(
      velocityControls.find((each) => each.velocityControlId === velocityControlId),
      fields,
    );
    checkFields(pageInfo, { hasNextPage: 'flag', hasPreviousPage: 'flag', startCursor: 'id', endCursor: 'id' });
  });

  test('deleteVelocityControl, and a policy that names the control', async () => {
    const params = parameters();
    const { velocityControlId } = (await create(params)).result.createVelocityControlResult;
    const policy = await submit('createPolicy', 'CREATE_POLICY_V3', {
      policyName: nameFor('policy'),
      effect: 'EFFECT_ALLOW',
      condition: `activity.kind == 'SIGN_TRANSACTION' && controls.${params.identifier}`,
      notes: '',
    });
    const remove = () => submit('deleteVelocityControl', 'DELETE_VELOCITY_CONTROL', { velocityControlId });
    await assert.rejects(remove(), /policies refer to this control/);
    const { policyId } = policy.activity.result.createPolicyResult;
    await submit('deletePolicy', 'DELETE_POLICY', { policyId });
    const { activity } = await remove();
    assert.equal(activity.result.deleteVelocityControlResult.velocityControlId, velocityControlId);
  });
});
