import { afterAll, expect, test } from 'vitest';
import { TestIssuer } from '../../../packages/server/test/auth/oidc/test-issuer.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createSubOrganization, errorOf, userParams } from '../../support/world.ts';
import { createOrganization, createPolicy, memberAt } from '../policies/support.ts';
import { createCustomer, mailSettings, newAddress } from '../sign-in/mail-support.ts';
import { newSubject, nonceFor, providerParams, trust } from '../sign-in/oidc-support.ts';
import { boundToken } from '../sign-in/otp-support.ts';
import { startInbox } from '../sign-in/smtp-inbox.ts';
import { newTarget } from '../sign-in/transfer-support.ts';

const inbox = await startInbox();
const issuer = await TestIssuer.start();
afterAll(async () => {
  await inbox.stop();
  await issuer.close();
});

const verificationOf = async (root: Caller, userId: string): Promise<Json> =>
  (await root.data('getUser', { userId })).user.userEmailVerification;

describeEngines(
  'contacts',
  (subject) => {
    const root = () => subject().service.root;
    const emailAuth = (caller: Caller, email: string) => caller.submit('emailAuth', { email, targetPublicKey: newTarget().hex });

    test('A14: an address entered by a user manager does not sign anybody in, with or without a token for it', async () => {
      const organization = await createOrganization(root(), { members: 2 });
      await organization.root.result('setOrganizationFeature', { name: 'FEATURE_NAME_EMAIL_AUTH', value: '' });
      await createPolicy(organization.root, 'ALLOW', { condition: "activity.resource in ['USER', 'AUTH', 'OTP']" });
      const [manager, victim] = [memberAt(organization, 0), memberAt(organization, 1)];
      const { userId } = victim;
      const userEmail = newAddress();
      await manager.caller.result('updateUserEmail', { userId, userEmail });
      expect(await verificationOf(organization.root, userId)).toMatchObject({ how: 'UNVERIFIED' });
      expect(errorOf(await emailAuth(manager.caller, userEmail))).toMatchObject({ status: 404 });
      const own = newAddress();
      const verificationToken = await boundToken(root(), inbox, own, newApiKey());
      await manager.caller.result('updateUserEmail', { userId, userEmail: own, verificationToken });
      expect(errorOf(await emailAuth(manager.caller, own))).toMatchObject({ status: 404 });
      const found = await root().data('listSuborgs', { filterType: 'EMAIL', filterValue: own });
      expect(found.organizationIds).toEqual([]);
      // The user themself, or the root quorum, makes it good.
      await organization.root.result('updateUserEmail', { userId, userEmail: own });
      expect(await verificationOf(organization.root, userId)).toMatchObject({ how: 'QUORUM' });
      expect((await emailAuth(manager.caller, own)).status).toBe(200);
    });

    test('A14: policies do not see unverified addresses', async () => {
      const { root: owner, members } = await createOrganization(root(), { members: 1 });
      const { caller, userId } = memberAt({ members }, 0);
      const address = newAddress();
      await createPolicy(owner, 'ALLOW', { condition: "activity.resource == 'USER'" });
      await createPolicy(owner, 'ALLOW', {
        condition: "activity.resource == 'WALLET'",
        consensus: `approvers.any(user, user.email == '${address}')`,
      });
      await caller.result('updateUserEmail', { userId, userEmail: address });
      const wallet = { walletName: 'Taken', accounts: [] };
      expect(errorOf(await caller.submit('createWallet', wallet))).toMatchObject({ status: 403 });
      await owner.result('updateUserEmail', { userId, userEmail: address });
      expect((await caller.submit('createWallet', wallet)).status).toBe(200);
    });

    test('A15: another user with the same address does not lock its owner out', async () => {
      const organization = await createOrganization(root(), { members: 1 });
      const { root: owner } = organization;
      await owner.result('setOrganizationFeature', { name: 'FEATURE_NAME_EMAIL_AUTH', value: '' });
      const { userId } = memberAt(organization, 0);
      const userEmail = newAddress();
      await owner.result('updateUserEmail', { userId, userEmail });
      await owner.result('createUsers', { users: [{ ...userParams(newApiKey()), userEmail }] });
      const answer = await emailAuth(owner, userEmail);
      expect(answer.body.activity?.result.activity.result.emailAuthResult ?? answer.body).toMatchObject({ userId });
    });

    test('A15: a policy over users cannot create a user with an unverified contact of a root user', async () => {
      const { own, email, phoneNumber } = await createCustomer(root());
      const { caller } = await createMember(own);
      await createPolicy(own, 'ALLOW', { condition: "activity.resource == 'USER'" });
      const make = (contact: object) => caller.submit('createUsers', { users: [{ ...userParams(newApiKey()), ...contact }] });
      for (const contact of [{ userEmail: email }, { userEmail: email.toUpperCase() }, { userPhoneNumber: phoneNumber }])
        expect(errorOf(await make(contact))).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
      expect((await emailAuth(own, email)).status).toBe(200);
      const shared = { userEmail: newAddress() };
      expect([(await make(shared)).status, (await make(shared)).status]).toEqual([200, 200]);
    });

    test('a verified contact is found as verified, and only by the parent', async () => {
      const { own, organizationId, userId, email } = await createCustomer(root());
      const found = async (fields: object = {}) => (await root().data('listVerifiedSuborgs', fields)).organizationIds;
      expect(await found({ filterType: 'EMAIL', filterValue: email })).toEqual([]);
      const userEmail = newAddress();
      const verificationToken = await boundToken(root(), inbox, userEmail, newApiKey());
      await own.result('updateUserEmail', { userId, userEmail, verificationToken });
      expect(await verificationOf(own, userId)).toMatchObject({ how: 'CODE' });
      expect(await found({ filterType: 'EMAIL', filterValue: userEmail.toUpperCase() })).toEqual([organizationId]);
      expect(await found({ filterType: '', filterValue: '' })).toContain(organizationId);
      expect(await found()).toContain(organizationId);
      expect((await own.data('listVerifiedSuborgs')).organizationIds).toEqual([]);
      await own.result('updateUserEmail', { userId, userEmail: '' });
      expect(await found({ filterType: 'EMAIL', filterValue: userEmail })).toEqual([]);
      expect(await found()).not.toContain(organizationId);
    });

    test('A16: a token links an identity only for the key in its nonce', async () => {
      const { caller, userId } = await createSubOrganization(root());
      const link = async (claims: object) =>
        caller.submit('createOauthProviders', {
          userId,
          oauthProviders: [providerParams(await issuer.token({ sub: newSubject(), ...claims }))],
        });
      for (const leaked of [{}, { nonce: nonceFor(newApiKey().publicKey) }]) {
        expect(errorOf(await link(leaked))).toMatchObject({ status: 400, code: 'OIDC_TOKEN_INVALID' });
      }
      expect((await link({ nonce: nonceFor(caller.key.publicKey) })).status).toBe(200);
    });
  },
  { config: { ...mailSettings(inbox), oidcIssuers: [trust(issuer.url)] } },
);
