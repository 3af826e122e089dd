import { expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, createMember, createSubOrganization, createWallet, errorOf, userParams } from '../../support/world.ts';
import { passkeyParams, sendWithPasskey } from '../catalogue/support/passkeys.ts';

const restrict = (root: Caller) => root.result('setOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES', value: '' });

describeEngines('a credential that a sub-organization and its parent know', (subject) => {
  const top = () => subject().service.root;
  const idsOf = (activities: Json[]) => activities.map(({ id }) => id as string);

  /** A tenant with a wallet, and the parent's root user as the tenant sees it: by public key. */
  async function tenant() {
    const sub = await createSubOrganization(top());
    await createWallet(sub.caller);
    return { ...sub, parent: top().with({ organizationId: sub.organizationId }), publicKey: top().key };
  }

  test('D374: a tenant does not hide its activities from the parent by giving the key of its root user to a user without rights', async () => {
    const { caller, parent, publicKey } = await tenant();
    const before = idsOf((await parent.data('listActivities')).activities);
    expect(before.length).toBeGreaterThan(0);
    const { userIds } = await caller.result('createUsers', { users: [userParams(publicKey)] });
    await restrict(caller);
    expect(idsOf((await parent.data('listActivities')).activities)).toEqual(expect.arrayContaining(before));
    for (const query of ['listWallets', 'listUsers', 'listAuditRecords'] as const)
      expect([query, (await parent.query(query)).status]).toEqual([query, 200]);
    // The tenant freezes that user.
    await caller.result('freeze', { userIds, reason: 'so that the parent reads nothing' });
    expect((await parent.query('listWallets')).status).toBe(200);
    // The response to whoami is that of the user in the sub-organization.
    expect(await parent.data('whoami')).toMatchObject({ userId: userIds[0] });
  });

  test('D374: nor by an expiry or a set-up key', async () => {
    const expiring = await tenant();
    const [key] = userParams(top().key).apiKeys;
    await expiring.caller.result('createUsers', { users: [{ ...userParams(), apiKeys: [{ ...key, expirationSeconds: '1' }] }] });
    const oneTime = await tenant();
    await oneTime.caller.result('createSetupKey', { userId: oneTime.userId, publicKey: top().key.publicKey });
    try {
      subject().service.setAheadMs(2_000);
      for (const { parent } of [expiring, oneTime]) expect((await parent.query('listWallets')).status).toBe(200);
    } finally {
      subject().service.setAheadMs(0);
    }
  });

  test('D374: nor by registering the id of a passkey of the parent with another key', async () => {
    const passkey = new SoftwareAuthenticator();
    const { userId } = await createMember(top());
    await top().result('createAuthenticators', { userId, authenticators: [passkeyParams(passkey)] });
    const { caller, userId: tenantId, parent } = await tenant();
    const forged = new SoftwareAuthenticator('ES256', passkey.credentialId);
    await caller.result('createAuthenticators', { userId: tenantId, authenticators: [passkeyParams(forged)] });
    const body = JSON.stringify({ organizationId: parent.organizationId });
    const ask = (each: SoftwareAuthenticator) => sendWithPasskey(parent, each, parent.queryPath('whoami'), body);
    expect((await ask(passkey)).body.activity.result).toMatchObject({ userId });
    expect((await ask(forged)).body.activity.result).toMatchObject({ userId: tenantId });
  });

  test('D374: a person with one key in both keeps the rights of both, and another user gains none', async () => {
    const sub = await createSubOrganization(top());
    const key = newApiKey();
    const member = await createMember(top());
    await member.caller.result('createApiKeys', { userId: member.userId, apiKeys: [apiKeyParams(key)] });
    const { userIds } = await sub.caller.result('createUsers', { users: [userParams(key)] });
    await restrict(sub.caller);
    const both = sub.caller.with({ key });
    // Neither user may read wallets.
    expect(errorOf(await both.query('listWallets'))).toMatchObject({ code: 'POLICY_DENIED' });
    expect((await both.data('getUser', { userId: userIds[0] })).user.userId).toBe(userIds[0]);
    const { policyId } = await top().result('createPolicy', {
      policyName: `Read ${sub.organizationId}`,
      effect: 'EFFECT_ALLOW',
      condition: "activity.action == 'READ' && query.organization == 'SUB_ORGANIZATION'",
      consensus: `approvers.any(user, user.id == '${member.userId}')`,
    });
    expect((await both.query('listWallets')).status).toBe(200);
    const other = await createMember(sub.caller);
    expect(errorOf(await other.caller.query('listWallets'))).toMatchObject({ code: 'POLICY_DENIED' });
    await top().result('deletePolicy', { policyId });
    expect(errorOf(await both.query('listWallets'))).toMatchObject({ code: 'POLICY_DENIED' });
  });
});
