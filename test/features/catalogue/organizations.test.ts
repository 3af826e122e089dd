import { expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import {
  createMember,
  createPrivateKey,
  createSubOrganization,
  createWallet,
  errorOf,
  madeUpId,
  signParams,
  subOrganizationParams,
  uniqueName,
} from '../../support/world.ts';
import { expectSound } from './support/expect-sound.ts';
import { createOrganization } from './support/organizations.ts';
import { passkeyParams, sendWithPasskey } from './support/passkeys.ts';

const organizationParams = (more: object = {}) => ({
  organizationName: uniqueName('Organization'),
  rootEmail: 'root@example.com',
  rootAuthenticator: passkeyParams(),
  ...more,
});

/** A policy that allows one user what a condition describes. */
const allow = (userId: string, condition: string) => ({
  policyName: uniqueName('Policy'),
  effect: 'EFFECT_ALLOW',
  condition,
  consensus: `approvers.any(user, user.id == '${userId}')`,
});

const everySuborg = async (parent: Caller) =>
  (await parent.data('listSuborgs', { paginationOptions: { limit: '100' } })).organizationIds as string[];

describeEngines('create_organization', (subject) => {
  test('the operator creates independent organizations', async () => {
    const { service } = subject();
    const root = await createOrganization(service.root, service);
    expect(await everySuborg(service.root)).not.toContain(root.organizationId);
    const whoami = await root.data('whoami');
    expect(whoami).toMatchObject({ organizationId: root.organizationId, username: 'Root user' });
    const { user } = await root.data('getUser', { userId: whoami.userId });
    expect(user).toMatchObject({ userEmail: 'root@example.com' });
    expect((await root.data('getOrganizationConfigs')).configs).toMatchObject({
      features: ['EMAIL_AUTH', 'EMAIL_RECOVERY', 'OTP_EMAIL_AUTH', 'NO_BLIND_HASHES'].map((name) => ({
        name: `FEATURE_NAME_${name}`,
      })),
      quorum: { threshold: 1, userIds: [whoami.userId] },
    });
    // The operator has no rights in it, and it has no operator rights.
    const stranger = service.root.with({ organizationId: root.organizationId });
    expect(errorOf(await stranger.query('whoami'))).toMatchObject({ status: 401, code: 'PUBLIC_KEY_NOT_FOUND' });
    const { subOrganizationId } = await root.result('createSubOrganization', subOrganizationParams(newApiKey()));
    expect(await everySuborg(root)).toEqual([subOrganizationId]);
    const answer = await root.submit('createOrganization', organizationParams());
    expect(errorOf(answer)).toEqual({ status: 400, code: 'PRECONDITION_FAILED' });
    expect(answer.body.message).toContain('operator');
    await expectSound(service, root);
  });

  test('the root user has the requested id', async () => {
    const { service } = subject();
    const rootUserId = madeUpId();
    const { organizationId } = await service.root.result('createOrganization', organizationParams({ rootUserId }));
    const snapshot = await service.services.organizations.snapshots.get(organizationId);
    expect([...(snapshot?.users.keys() ?? [])]).toEqual([rootUserId]);
    const refused = await service.root.submit('createOrganization', organizationParams({ rootUserId: 'me' }));
    expect(errorOf(refused)).toMatchObject({ status: 400, fields: ['rootUserId'] });
  });

  test('a policy for sub-organizations does not allow it; a policy for organizations does', async () => {
    const { root } = subject().service;
    const { userId, caller } = await createMember(root);
    const suborgs = allow(userId, "activity.resource == 'ORGANIZATION' && activity.action == 'CREATE'");
    await root.result('createPolicy', suborgs);
    await caller.result('createSubOrganization', subOrganizationParams(newApiKey()));
    expect(errorOf(await caller.submit('createOrganization', organizationParams()))).toMatchObject({ status: 403 });
    await root.result('createPolicy', allow(userId, "activity.kind == 'CREATE_ORGANIZATION'"));
    await caller.result('createOrganization', organizationParams());
  });
});

describeEngines('get_organization', (subject) => {
  test('shows all small collections, as the individual queries do', async () => {
    const { caller: root, userId, organizationId } = await createSubOrganization(subject().service.root);
    await createMember(root);
    await createPrivateKey(root);
    await createWallet(root);
    await root.result('createUserTag', { userTagName: 'Tag', userIds: [userId] });
    await root.result('createPrivateKeyTag', { privateKeyTagName: 'Tag', privateKeyIds: [] });
    await root.result('createPolicy', allow(userId, "activity.action == 'SIGN'"));
    const { organizationData } = await root.data('getOrganization');
    const { configs } = await root.data('getOrganizationConfigs');
    const { organizationName } = await root.data('whoami');
    expect(organizationData).toEqual({
      organizationId,
      name: organizationName,
      ...(await root.data('listUsers')),
      ...(await root.data('listPolicies')),
      ...(await root.data('listPrivateKeys')),
      ...(await root.data('listWallets')),
      invitations: [],
      tags: [...(await root.data('listUserTags')).userTags, ...(await root.data('listPrivateKeyTags')).privateKeyTags],
      rootQuorum: configs.quorum,
      features: configs.features,
      smartContractInterfaceReferences: [],
    });
  });
});

describeEngines('deleting organizations', (subject) => {
  test('a deleted sub-organization keeps its record and activities, but nothing that could act', async () => {
    const { service, raw } = subject();
    const key = newApiKey();
    const params = subOrganizationParams(key, { wallet: { walletName: 'Wallet', accounts: [] } });
    const { subOrganizationId: organizationId } = await service.root.result('createSubOrganization', params);
    const root = service.root.with({ organizationId, key });
    const privateKeyId = await createPrivateKey(root);
    const { addresses } = await createWallet(root, 3);
    await createMember(root);
    await root.result('createUserTag', { userTagName: 'Tag', userIds: [] });
    await root.result('signRawPayload', signParams(privateKeyId));

    for (const more of [{}, { deleteWithoutExport: false }]) {
      const answer = await root.submit('deleteSubOrganization', more);
      expect(errorOf(answer)).toEqual({ status: 400, code: 'PRECONDITION_FAILED' });
      expect(answer.body.message).toContain('never exported');
    }
    await root.result('signRawPayload', signParams(addresses[2] as string));
    expect(await root.result('deleteSubOrganization', { deleteWithoutExport: true })).toEqual({
      subOrganizationUuid: organizationId,
    });

    expect(errorOf(await root.query('whoami'))).toMatchObject({ status: 401, code: 'PUBLIC_KEY_NOT_FOUND' });
    expect(errorOf(await root.submit('signRawPayload', signParams(privateKeyId)))).toMatchObject({ status: 401 });
    const rows = async (table: string) => raw.all(`SELECT * FROM ${table} WHERE organization_id = ?`, organizationId);
    expect((await rows('records')).map(({ kind }) => kind)).toEqual(['organization']);
    for (const table of ['resources', 'secrets', 'lookups']) expect(await rows(table), table).toEqual([]);
    expect(await everySuborg(service.root)).not.toContain(organizationId);
    for (const [filterType, filterValue] of [
      ['NAME', params.subOrganizationName],
      ['PUBLIC_KEY', key.publicKey],
      ['USERNAME', params.rootUsers[0]?.userName],
    ]) {
      expect(await service.root.data('listSuborgs', { filterType, filterValue })).toEqual({ organizationIds: [] });
    }
    // The parent can still read what happened there, but not act.
    const parent = service.root.with({ organizationId });
    const { activities } = await parent.data('listActivities', { paginationOptions: { limit: '100' } });
    expect(activities[0]).toMatchObject({ type: 'ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION', status: 'ACTIVITY_STATUS_COMPLETED' });
    expect(activities.map(({ type }: Json) => type)).toContain('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2');
    expect(errorOf(await parent.submit('createWallet', { walletName: 'Again', accounts: [] }))).toMatchObject({
      code: 'ORGANIZATION_MISMATCH',
    });
    expect(await parent.data('listPrivateKeys')).toEqual({ privateKeys: [] });
    await expectSound(service, root);
    // Name and key can be used again.
    await service.root.result('createSubOrganization', params);
  });

  test('repeating the request is refused, because its credential is gone', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const body = root.submitBody('deleteSubOrganization', {});
    const path = root.submitPath('deleteSubOrganization');
    expect((await root.send(path, body)).status).toBe(200);
    expect(errorOf(await root.send(path, body))).toMatchObject({ status: 401 });
  });

  test('it needs the root quorum, and no policy can replace it', async () => {
    const { caller: root, userId } = await createSubOrganization(subject().service.root);
    const { caller, userId: memberId } = await createMember(root);
    await root.result('createPolicy', allow(memberId, 'true'));
    await caller.result('createWallet', { walletName: 'Allowed', accounts: [] });
    expect(errorOf(await caller.submit('deleteSubOrganization', { deleteWithoutExport: true }))).toMatchObject({ status: 403 });
    await root.result('updateRootQuorum', { threshold: 2, userIds: [userId, memberId] });
    const body = root.submitBody('deleteSubOrganization', { deleteWithoutExport: true });
    const path = root.submitPath('deleteSubOrganization');
    expect((await root.send(path, body)).body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
    expect((await caller.send(path, body)).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
    expect(errorOf(await caller.query('whoami'))).toMatchObject({ status: 401 });
  });

  test('a top-level organization can be deleted once its sub-organizations and keys are gone', async () => {
    const { service } = subject();
    const root = await createOrganization(service.root, service);
    const { caller: child } = await createSubOrganization(root);
    const privateKeyId = await createPrivateKey(root);
    const params = { organizationId: root.organizationId };
    const refused = async () => (await root.submit('deleteOrganization', params)).body.message;
    expect(await refused()).toContain('has sub-organizations');
    await child.result('deleteSubOrganization', {});
    expect(await refused()).toContain(`Private key ${privateKeyId} was never exported`);
    await root.result('deletePrivateKeys', { privateKeyIds: [privateKeyId], deleteWithoutExport: true });
    const { walletId } = await createWallet(root);
    expect(await refused()).toContain(`Wallet ${walletId} was never exported`);
    await root.result('deleteWallets', { walletIds: [walletId], deleteWithoutExport: true });
    expect(await root.result('deleteOrganization', params)).toEqual(params);
    expect(errorOf(await root.query('whoami'))).toMatchObject({ status: 401 });
    await expectSound(service, root);
  });

  test('a passkey can stamp the deletion of its own organization', async () => {
    const { service } = subject();
    const authenticator = new SoftwareAuthenticator();
    const made = organizationParams({ rootAuthenticator: passkeyParams(authenticator) });
    const { organizationId } = await service.root.result('createOrganization', made);
    const root = service.root.with({ organizationId });
    const body = root.submitBody('deleteOrganization', { organizationId });
    const answer = await sendWithPasskey(root, authenticator, root.submitPath('deleteOrganization'), body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    await expectSound(service, root);
  });

  test('each kind is deleted by its own operation and only by itself, and the first organization never', async () => {
    const { service } = subject();
    const root = await createOrganization(service.root, service);
    const { caller: child, organizationId: childId } = await createSubOrganization(root);
    const refused = async (caller: Caller, organizationId: string) =>
      errorOf(await caller.submit('deleteOrganization', { organizationId }));
    expect(await refused(root, childId)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['organizationId'] });
    expect(await refused(child, childId)).toEqual({ status: 400, code: 'PRECONDITION_FAILED' });
    expect(await refused(service.root, service.root.organizationId)).toEqual({ status: 400, code: 'PRECONDITION_FAILED' });
    expect(errorOf(await root.submit('deleteSubOrganization', {}))).toEqual({ status: 400, code: 'PRECONDITION_FAILED' });
    const parentInChild = root.with({ organizationId: childId });
    expect(errorOf(await parentInChild.submit('deleteSubOrganization', {}))).toMatchObject({ code: 'ORGANIZATION_MISMATCH' });
  });
});
