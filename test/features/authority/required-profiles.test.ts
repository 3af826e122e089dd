import { builtInProfiles } from '@countersign/contract';
import { afterAll, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, createWallet, errorOf, madeUpId, signParams, uniqueName, userParams } from '../../support/world.ts';
import { createOrganization, createPolicy, memberAt, outcomeOf, reject, submitPending } from '../policies/support.ts';
import { bundleIn, createCustomer, keyFrom, mailSettings } from '../sign-in/mail-support.ts';
import { keysOf, login } from '../sign-in/sessions-support.ts';
import { startInbox } from '../sign-in/smtp-inbox.ts';
import { newTarget } from '../sign-in/transfer-support.ts';

const FEATURE = 'FEATURE_NAME_SESSION_PROFILES_REQUIRED';
const { console: reading, consoleWithoutPasskey: acting } = builtInProfiles;
const refused = { status: 403, code: 'POLICY_DENIED' };
const missing = { status: 400, code: 'PRECONDITION_FAILED', fields: ['sessionProfileId'] };
const inbox = await startInbox();
afterAll(() => inbox.stop());

describeEngines(
  'required and built-in session profiles',
  (subject) => {
    const first = () => subject().service.root;

    async function createProfile(scope: string): Promise<string> {
      return (await first().result('createSessionProfile', { sessionProfileName: uniqueName('Profile'), scope }))
        .sessionProfileId;
    }

    const require = (root: Caller, value = '') => root.result('setOrganizationFeature', { name: FEATURE, value });

    async function withWallet() {
      const organization = await createOrganization(first(), { members: 1 });
      const { walletId, addresses } = await createWallet(organization.root);
      return { ...organization, userId: organization.roots[0]?.userId ?? '', walletId, address: addresses[0] as string };
    }

    test('D292: no operation opens a session without a profile if the organization requires one', async () => {
      const { root, address } = await withWallet();
      const profile = await createProfile("activity.action == 'SIGN'");
      await require(root);
      const bare = { publicKey: newApiKey().publicKey };
      const target = { targetPublicKey: newTarget().hex };
      expect(errorOf(await root.submit('stampLogin', bare))).toMatchObject(missing);
      expect(errorOf(await root.submit('createReadWriteSession', target))).toMatchObject(missing);
      const unsuitable = { ...bare, sessionProfileId: acting.sessionProfileId };
      expect(errorOf(await root.submit('stampLogin', unsuitable))).toMatchObject(missing);
      const session = await login(root, { sessionProfileId: profile });
      await session.result('signRawPayload', signParams(address));
      await login(root, { sessionProfileId: reading.sessionProfileId });
      await root.result('createReadOnlySession', {});
      await root.result('removeOrganizationFeature', { name: FEATURE });
      await login(root);
    });

    test('D292: operations that cannot name a profile get the default one', async () => {
      const { root, userId, walletId } = await withWallet();
      const unknown = await root.submit('setOrganizationFeature', { name: FEATURE, value: madeUpId() });
      expect(errorOf(unknown)).toMatchObject({ code: 'NOT_FOUND', fields: ['value'] });
      const profile = await createProfile("activity.action == 'SIGN'");
      await require(root, profile);
      await root.result('createReadWriteSession', { targetPublicKey: newTarget().hex });
      const session = await login(root);
      const profiles = (await keysOf(root, userId)).map(({ credential }) => credential.sessionProfileId);
      expect(profiles).toEqual([undefined, profile, profile]);
      const exported = await session.submit('exportWallet', { walletId, targetPublicKey: newTarget().hex });
      expect(errorOf(exported)).toMatchObject(refused);
    });

    test('D292: the setting of the parent covers mailed keys of sub-organizations, and recovery still works', async () => {
      const customer = await createCustomer(first());
      const { root: parent } = subject().service;
      const profile = await createProfile("activity.action == 'SIGN'");
      const target = newTarget();
      const asked = { email: customer.email, targetPublicKey: target.hex };
      await require(parent);
      try {
        expect(errorOf(await customer.backend.submit('emailAuth', asked))).toMatchObject(missing);
        await require(parent, profile);
        await customer.backend.result('emailAuth', asked);
        const [mail] = await inbox.to(customer.email);
        const session = customer.own.with({ key: keyFrom(bundleIn(mail?.text ?? ''), target) });
        await session.data('whoami');
        expect(errorOf(await session.submit('createWallet', { walletName: uniqueName('W'), accounts: [] }))).toMatchObject(
          refused,
        );
        const recovery = { email: customer.email, targetPublicKey: newTarget().hex };
        expect(outcomeOf(await customer.backend.submit('initUserEmailRecovery', recovery))).toBe('200 COMPLETED');
      } finally {
        await parent.result('removeOrganizationFeature', { name: FEATURE });
      }
    });

    test('D293: a session of the console reads and ends sessions, and does nothing else', async () => {
      const { root, members, userId, walletId, address } = await withWallet();
      await createPolicy(root, 'ALLOW', { condition: "activity.action == 'SIGN'", consensus: 'approvers.count() >= 2' });
      const waiting = await submitPending(memberAt({ members }, 0).caller, 'signRawPayload', signParams(address));
      const session = await login(root, { sessionProfileId: reading.sessionProfileId });
      const attempts = [
        ['createWallet', { walletName: uniqueName('Wallet'), accounts: [] }],
        ['createPolicy', { policyName: uniqueName('Policy'), effect: 'EFFECT_ALLOW', notes: '' }],
        ['createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] }],
        ['exportWallet', { walletId, targetPublicKey: newTarget().hex }],
        ['signRawPayload', signParams(address)],
        ['stampLogin', { publicKey: newApiKey().publicKey }],
        ['createReadWriteSession', { targetPublicKey: newTarget().hex }],
        ['createReadOnlySession', {}],
        ['approveActivity', { fingerprint: waiting.fingerprint }],
        ['endSessions', { all: true }],
        ['endSessions', { userId: memberAt({ members }, 0).userId }],
      ] as const;
      for (const [name, params] of attempts)
        expect({ name, ...errorOf(await session.submit(name, params)) }).toMatchObject({ name, ...refused });
      expect(errorOf(await reject({ caller: session }, waiting))).toMatchObject(refused);
      await session.data('whoami');
      expect((await session.data('listPolicies')).policies).toHaveLength(1);
      await session.result('endSessions', {});
      expect((await session.query('whoami')).status).toBe(401);
    });

    test('D294: a session of the console without a passkey signs, and changes nothing that gives rights', async () => {
      const { root, userId, walletId, address } = await withWallet();
      const session = await login(root, { sessionProfileId: acting.sessionProfileId, expirationSeconds: '28800' });
      const attempts = [
        ['createUsers', { users: [userParams(newApiKey())] }],
        ['createPolicy', { policyName: uniqueName('Policy'), effect: 'EFFECT_ALLOW', notes: '' }],
        ['createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] }],
        ['exportWallet', { walletId, targetPublicKey: newTarget().hex }],
        ['deleteWallets', { walletIds: [walletId], deleteWithoutExport: true }],
        ['updateRootQuorum', { threshold: 1, userIds: [userId] }],
        ['setOrganizationFeature', { name: 'FEATURE_NAME_SESSION_SELF_SERVICE', value: '' }],
        ['createUserTag', { userTagName: uniqueName('Tag'), userIds: [userId] }],
        ['stampLogin', { publicKey: newApiKey().publicKey }],
      ] as const;
      for (const [name, params] of attempts)
        expect({ name, ...errorOf(await session.submit(name, params)) }).toMatchObject({ name, ...refused });
      await session.result('signRawPayload', signParams(address));
      await session.result('createWallet', { walletName: uniqueName('Wallet'), accounts: [] });
      const own = (await keysOf(root, userId)).find(({ credential }) => credential.sessionProfileId === acting.sessionProfileId);
      expect(own?.expirationSeconds).toBe('900');
    });

    test('D293: built-in profiles are shown, and their names are taken', async () => {
      const { sessionProfileId, sessionProfileName, scope } = reading;
      const shown = (await first().data('getSessionProfile', { sessionProfileId })).sessionProfile;
      expect(shown).toMatchObject({ sessionProfileId, sessionProfileName, scope });
      expect(errorOf(await first().submit('createSessionProfile', { sessionProfileName, scope: 'true' }))).toMatchObject({
        fields: ['sessionProfileName'],
      });
    });
  },
  { config: mailSettings(inbox) },
);
