import { expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService } from '../../support/service.ts';
import {
  createMember,
  createSubOrganization,
  errorOf,
  madeUpId,
  subOrganizationParams,
  uniqueName,
} from '../../support/world.ts';
import { expectSound } from './support/expect-sound.ts';

/** The sub-organizations that the parent finds by a filter. */
async function found(parent: Caller, filterType: string, filterValue: string): Promise<string[]> {
  return (await parent.data('listSuborgs', { filterType, filterValue })).organizationIds;
}

/** A policy that lets one user do everything. */
const allowAll = (userId: string) => ({
  policyName: uniqueName('Policy'),
  effect: 'EFFECT_ALLOW',
  condition: 'true',
  consensus: `approvers.any(user, user.id == '${userId}')`,
});

describeEngines('update_user_name', (subject) => {
  test('the user has the new name everywhere, and nothing else changes', async () => {
    const parent = subject().service.root;
    const { caller: root, organizationId } = await createSubOrganization(parent);
    const { userId, caller } = await createMember(root);
    await root.result('updateUser', { userId, userEmail: 'someone@example.com', userPhoneNumber: '+15555550100' });
    const { user: before } = await root.data('getUser', { userId });
    const userName = uniqueName('Renamed');
    expect(await root.result('updateUserName', { userId, userName })).toEqual({ userId });
    const { user: after } = await root.data('getUser', { userId });
    expect(after).toEqual({ ...before, userName, updatedAt: expect.anything() });
    expect((await caller.data('whoami')).username).toBe(userName);
    expect(await found(parent, 'USERNAME', userName)).toEqual([organizationId]);
    expect(await found(parent, 'USERNAME', before.userName)).toEqual([]);
    // The old name is free, and setting the current one again is accepted.
    await root.result('updateUserName', { userId, userName });
    await root.result('updateUserName', { userId: (await createMember(root)).userId, userName: before.userName });
    await expectSound(subject().service, root);
  });

  test('a name that is in use, blank or missing is refused, and so is an unknown user', async () => {
    const { caller: root, userId: rootUserId } = await createSubOrganization(subject().service.root);
    const { userId } = await createMember(root);
    const { user } = await root.data('getUser', { userId: rootUserId });
    const refused = async (params: object) => errorOf(await root.submit('updateUserName', params));
    const taken = { status: 400, code: 'NAME_TAKEN', fields: ['userName'] };
    expect(await refused({ userId, userName: user.userName })).toEqual(taken);
    expect(await refused({ userId, userName: ' ' })).toMatchObject({ status: 400, fields: ['userName'] });
    expect(await refused({ userId })).toMatchObject({ status: 400, fields: ['userName'] });
    const unknown = { status: 404, code: 'NOT_FOUND', fields: ['userId'] };
    expect(await refused({ userId: madeUpId(), userName: uniqueName('Nobody') })).toEqual(unknown);
    expect(await refused({ userId: subject().service.first.userId, userName: uniqueName('Nobody') })).toEqual(unknown);
  });

  test('D54: users cannot rename themselves unless a policy allows it', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const { userId, caller } = await createMember(root);
    const params = { userId, userName: uniqueName('Renamed') };
    expect(errorOf(await caller.submit('updateUserName', params))).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
    const condition = "activity.resource == 'USER' && activity.action == 'UPDATE'";
    await root.result('createPolicy', { ...allowAll(userId), condition });
    await caller.result('updateUserName', params);
  });
});

describeEngines('update_organization_name', (subject) => {
  test('a sub-organization renames itself, and its parent finds it by the new name only', async () => {
    const parent = subject().service.root;
    const key = newApiKey();
    const params = subOrganizationParams(key);
    const { subOrganizationId: organizationId } = await parent.result('createSubOrganization', params);
    const root = parent.with({ key, organizationId });
    const organizationName = uniqueName('Renamed');
    expect(await root.result('updateOrganizationName', { organizationName })).toEqual({ organizationId, organizationName });
    expect(await found(parent, 'NAME', organizationName)).toEqual([organizationId]);
    expect(await found(parent, 'NAME', params.subOrganizationName)).toEqual([]);
    const { organizationIds } = await parent.data('listSuborgs', { paginationOptions: { limit: '100' } });
    expect(organizationIds).toContain(organizationId);
    // Read with its own id, with the parent's id instead, and by the parent.
    for (const id of [organizationId, parent.organizationId]) {
      expect(await root.with({ organizationId: id }).data('whoami')).toMatchObject({ organizationId, organizationName });
    }
    expect((await parent.with({ organizationId }).data('getOrganization')).organizationData.name).toBe(organizationName);
    await root.result('updateOrganizationName', { organizationName });
    expect(await found(parent, 'NAME', organizationName)).toEqual([organizationId]);
    await expectSound(subject().service, root);
  });

  test('another service on the same database shows the new name at once', async () => {
    const { service, installation } = subject();
    const { caller: root, organizationId } = await createSubOrganization(service.root);
    const second = await startService(installation);
    try {
      const there = root.with({ url: second.url });
      const { organizationName: before } = await there.data('whoami');
      const organizationName = uniqueName('Renamed');
      await root.result('updateOrganizationName', { organizationName });
      expect((await there.data('whoami')).organizationName).toBe(organizationName);
      const parentThere = service.root.with({ url: second.url });
      expect(await found(parentThere, 'NAME', organizationName)).toEqual([organizationId]);
      expect(await found(parentThere, 'NAME', before)).toEqual([]);
    } finally {
      await second.close();
    }
  });

  test('two sub-organizations may share a name; renaming one does not affect the other', async () => {
    const parent = subject().service.root;
    const [one, two] = [await createSubOrganization(parent), await createSubOrganization(parent)];
    const organizationName = uniqueName('Shared');
    for (const { caller } of [one, two]) await caller.result('updateOrganizationName', { organizationName });
    expect((await found(parent, 'NAME', organizationName)).sort()).toEqual([one.organizationId, two.organizationId].sort());
    await one.caller.result('updateOrganizationName', { organizationName: uniqueName('Other') });
    expect(await found(parent, 'NAME', organizationName)).toEqual([two.organizationId]);
  });

  test('a top-level organization renames itself, and nothing else changes', async () => {
    const { root } = subject().service;
    const { organizationData: before } = await root.data('getOrganization');
    const organizationName = uniqueName('Operator');
    await root.result('updateOrganizationName', { organizationName });
    expect((await root.data('getOrganization')).organizationData).toEqual({ ...before, name: organizationName });
    // It is still the operator's organization.
    await createSubOrganization(root);
    await expectSound(subject().service, root);
  });

  test('it needs the root quorum: no policy can replace it or forbid it', async () => {
    const { caller: root, userId } = await createSubOrganization(subject().service.root);
    const { caller, userId: memberId } = await createMember(root);
    await root.result('createPolicies', {
      policies: [
        allowAll(memberId),
        {
          policyName: uniqueName('Policy'),
          effect: 'EFFECT_DENY',
          condition: "activity.type == 'ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME'",
        },
      ],
    });
    const params = { organizationName: uniqueName('Renamed') };
    expect(errorOf(await caller.submit('updateOrganizationName', params))).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
    await root.result('updateOrganizationName', params);
    await root.result('updateRootQuorum', { threshold: 2, userIds: [userId, memberId] });
    const body = root.submitBody('updateOrganizationName', { organizationName: 'By two' });
    const path = root.submitPath('updateOrganizationName');
    expect((await root.send(path, body)).body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
    expect((await root.data('whoami')).organizationName).toBe(params.organizationName);
    expect((await caller.send(path, body)).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
    expect((await root.data('whoami')).organizationName).toBe('By two');
  });

  test('a parent cannot rename its sub-organization, and bad names change nothing', async () => {
    const parent = subject().service.root;
    const { caller: root, organizationId } = await createSubOrganization(parent);
    const before = await root.data('whoami');
    const answer = await parent.with({ organizationId }).submit('updateOrganizationName', { organizationName: 'Taken over' });
    expect(errorOf(answer)).toMatchObject({ code: 'ORGANIZATION_MISMATCH' });
    for (const organizationName of [' ', 'a\u0000b', 'x'.repeat(257), 7]) {
      const refused = await root.submit('updateOrganizationName', { organizationName });
      expect(errorOf(refused), String(organizationName)).toMatchObject({ status: 400, fields: ['organizationName'] });
    }
    expect(errorOf(await root.submit('updateOrganizationName', {}))).toMatchObject({ status: 400 });
    expect(await root.data('whoami')).toEqual(before);
  });
});
