import { expect, test } from 'vitest';
import { controlParams } from '../../support/activity-params.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { errorOf, uniqueName } from '../../support/world.ts';
import { createOrganization, createPolicy, memberAt, userIs } from '../policies/support.ts';

const DAY = 24 * 60 * 60 * 1000;

describeEngines('velocity controls', (subject) => {
  const organization = (members = 1) => createOrganization(subject().service.root, { members });
  const refused = { status: 403, code: 'POLICY_DENIED' };

  test('D145: a broad policy does not allow changes of spending limits', async () => {
    const made = await organization();
    const { caller } = memberAt(made, 0);
    await createPolicy(made.root, 'ALLOW', { condition: "activity.action in ['CREATE', 'UPDATE', 'DELETE']" });
    await createPolicy(made.root, 'ALLOW', { condition: "activity.resource == 'POLICY'" });
    const { velocityControlId } = await made.root.result('createVelocityControl', controlParams());
    expect(errorOf(await caller.submit('createVelocityControl', controlParams()))).toMatchObject(refused);
    const update = { velocityControlId, newThreshold: '900000' };
    expect(errorOf(await caller.submit('updateVelocityControl', update))).toMatchObject(refused);
    expect(errorOf(await caller.submit('deleteVelocityControl', { velocityControlId }))).toMatchObject(refused);
  });

  test('D145: only the root quorum resets or raises a limit, even if a policy names limits', async () => {
    const made = await organization();
    const { caller } = memberAt(made, 0);
    await createPolicy(made.root, 'ALLOW', { condition: "activity.resource == 'VELOCITY_CONTROL'" });
    await createPolicy(made.root, 'ALLOW', { condition: 'true' });
    const { velocityControlId } = await caller.result('createVelocityControl', controlParams());
    const raise = { velocityControlId, newThreshold: '900000', until: String(Date.now() + DAY) };
    expect(errorOf(await caller.submit('raiseVelocityControl', raise))).toMatchObject(refused);
    expect(errorOf(await caller.submit('resetVelocityControl', { velocityControlId }))).toMatchObject(refused);
    expect((await made.root.submit('raiseVelocityControl', raise)).status).toBe(200);
    expect((await made.root.data('getVelocityControl', { velocityControlId })).velocityControl.raise).toMatchObject({
      threshold: '900000',
    });
    expect((await made.root.submit('resetVelocityControl', { velocityControlId })).status).toBe(200);
  });

  test('D145: a policy can let a user lower one limit, not raise it', async () => {
    const made = await organization();
    const member = memberAt(made, 0);
    const { velocityControlId } = await made.root.result('createVelocityControl', controlParams());
    await createPolicy(made.root, 'ALLOW', {
      condition: `activity.kind == 'UPDATE_VELOCITY_CONTROL' && activity.params.velocity_control_id == '${velocityControlId}' && activity.params.new_threshold in ['100000', '50000', '0'] && !activity.params.window.infinite`,
      consensus: userIs(member),
    });
    const change = (more: object) => member.caller.submit('updateVelocityControl', { velocityControlId, ...more });
    expect((await change({ newThreshold: '50000' })).status).toBe(200);
    expect(errorOf(await change({ newThreshold: '100001' }))).toMatchObject(refused);
    // What is left out stays, and policies see what it stays at.
    expect(errorOf(await change({ newThreshold: '0', window: { infinite: {} } }))).toMatchObject(refused);
  });

  test('D145: a control that a policy names can be neither deleted nor renamed, and the refusal names the policy', async () => {
    const { root } = await organization(0);
    const params = controlParams();
    const { velocityControlId } = await root.result('createVelocityControl', params);
    const policyId = await createPolicy(root, 'ALLOW', {
      condition: `activity.kind == 'SIGN_TRANSACTION' && controls . ${params.identifier}`,
    });
    const { policyName } = (await root.data('getPolicy', { policyId })).policy;
    const deleted = await root.submit('deleteVelocityControl', { velocityControlId });
    expect(errorOf(deleted)).toMatchObject({ status: 400, fields: ['velocityControlId'] });
    expect(JSON.stringify(deleted.body)).toContain(policyName);
    const renamed = await root.submit('updateVelocityControl', { velocityControlId, identifier: 'other' });
    expect(errorOf(renamed)).toMatchObject({ status: 400, fields: ['identifier'] });
    expect((await root.submit('updateVelocityControl', { velocityControlId, identifier: params.identifier })).status).toBe(200);
    await root.result('deletePolicy', { policyId });
    expect((await root.submit('deleteVelocityControl', { velocityControlId })).status).toBe(200);
  });

  test('a policy that names an unknown control is refused, with the nearest identifier', async () => {
    const { root } = await organization(0);
    await root.result('createVelocityControl', { ...controlParams(), identifier: 'daily_usdc' });
    const policy = { policyName: uniqueName('Policy'), effect: 'EFFECT_ALLOW', notes: '' };
    const unknown = await root.submit('createPolicy', { ...policy, condition: 'controls.daily_usdt' });
    expect(errorOf(unknown)).toMatchObject({ code: 'POLICY_INVALID', fields: ['condition'] });
    expect(JSON.stringify(unknown.body)).toContain('did you mean `daily_usdc`?');
    expect((await root.submit('createPolicy', { ...policy, condition: 'controls.daily_usdc' })).status).toBe(200);
  });

  test('a new threshold ends a raise', async () => {
    const { root } = await organization(0);
    const { velocityControlId } = await root.result('createVelocityControl', controlParams());
    await root.result('raiseVelocityControl', { velocityControlId, newThreshold: '900000', until: String(Date.now() + DAY) });
    await root.result('updateVelocityControl', { velocityControlId, newThreshold: '10' });
    const { velocityControl } = await root.data('getVelocityControl', { velocityControlId });
    expect(velocityControl).toMatchObject({ aggregation: { threshold: '10' } });
    expect(velocityControl.raise).toBeUndefined();
  });

  test('lists are paged, newest first', async () => {
    const { root } = await organization(0);
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1)
      ids.push((await root.result('createVelocityControl', controlParams())).velocityControlId);
    const page = async (paginationOptions: object) => {
      const { velocityControls, pageInfo } = await root.data('listVelocityControls', { paginationOptions });
      const shown = velocityControls.map((each: { velocityControlId: string }) => ids.indexOf(each.velocityControlId));
      return [shown, pageInfo.hasPreviousPage, pageInfo.hasNextPage];
    };
    expect(await page({ limit: '2' })).toEqual([[4, 3], false, true]);
    expect(await page({ limit: '2', after: ids[3] })).toEqual([[2, 1], true, true]);
    expect(await page({ limit: '2', before: ids[1] })).toEqual([[3, 2], true, true]);
    expect(await page({ after: ids[0] })).toEqual([[], false, false]);
  });
});
