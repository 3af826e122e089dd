import { afterAll, expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { importApiKey, newApiKey } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, createMember, createPrivateKey, errorOf, signParams, uniqueName } from '../../support/world.ts';
import { forgedPasskeyParams, passkeyParams, sendWithPasskey } from '../catalogue/support/passkeys.ts';
import { bundleIn, createCustomer, createReachable, keyFrom, mailSettings, newAddress } from './mail-support.ts';
import { keysOf, MINUTES, typesOf } from './sessions-support.ts';
import { startInbox } from './smtp-inbox.ts';
import { newTarget } from './transfer-support.ts';

const inbox = await startInbox();
afterAll(() => inbox.stop());

const TYPE = 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256';

describeEngines(
  'recovery and invitations by mail',
  (subject) => {
    const root = () => subject().service.root;

    /** A customer who requested a recovery, with the mailed key. */
    async function recovering(more: object = {}) {
      const customer = await createCustomer(root());
      const target = newTarget();
      const params = { email: customer.email, targetPublicKey: target.hex, ...more };
      expect(await customer.backend.result('initUserEmailRecovery', params)).toEqual({ userId: customer.userId });
      const [mail] = await inbox.to(customer.email);
      const key = keyFrom(bundleIn(mail?.text ?? ''), target);
      return { ...customer, mail, recovery: customer.own.with({ key }) };
    }

    test('ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY is executed, then ACTIVITY_TYPE_RECOVER_USER is executed: one passkey, one use', async () => {
      const { own, recovery, userId, mail } = await recovering();
      expect(mail?.subject).toBe('Recover your Countersign account');
      expect(typesOf(await keysOf(own, userId))).toEqual(['CREDENTIAL_TYPE_API_KEY_P256', TYPE]);
      const authenticator = new SoftwareAuthenticator();
      const params = { userId, authenticator: passkeyParams(authenticator) };
      const answer = await recovery.submit('recoverUser', params);
      expect(answer.body.activity.result.activity.result).toEqual({
        recoverUserResult: { authenticatorId: [expect.any(String)] },
      });
      const body = JSON.stringify({ organizationId: own.organizationId });
      const signedIn = await sendWithPasskey(own, authenticator, own.queryPath('whoami'), body);
      expect(signedIn.body.activity.result).toMatchObject({ userId });
      expect(typesOf(await keysOf(own, userId))).toEqual(['CREDENTIAL_TYPE_API_KEY_P256']);
      const again = await recovery.submit('recoverUser', { userId, authenticator: passkeyParams() });
      expect(errorOf(again)).toEqual({ status: 401, code: 'PUBLIC_KEY_NOT_FOUND' });
    });

    test('the mailed key can do nothing else: no query except whoami, no vote, no other activity, no other user', async () => {
      const { own, recovery, userId } = await recovering();
      const { userId: otherId } = await createMember(own);
      const privateKeyId = await createPrivateKey(own);
      await own.result('createPolicy', { policyName: 'Anybody', effect: 'EFFECT_ALLOW', condition: 'true', consensus: 'true' });
      expect((await recovery.query('whoami')).status).toBe(200);
      for (const query of ['listUsers', 'getApiKeys', 'getUser'] as const)
        expect((await recovery.query(query, { userId })).status, query).toBe(403);
      for (const [name, params] of [
        ['signRawPayload', signParams(privateKeyId)],
        ['createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] }],
        ['createAuthenticators', { userId, authenticators: [passkeyParams()] }],
        ['stampLogin', { publicKey: newApiKey().publicKey }],
        ['createReadOnlySession', {}],
        ['approveActivity', { fingerprint: `sha256:${'00'.repeat(32)}` }],
        ['recoverUser', { userId: otherId, authenticator: passkeyParams() }],
      ] as const) {
        expect(errorOf(await recovery.submit(name, params)), name).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
      }
      expect((await recovery.submit('recoverUser', { userId, authenticator: passkeyParams() })).status).toBe(200);
    });

    test('ACTIVITY_TYPE_RECOVER_USER is refused with a registration that does not verify, and the key stays valid', async () => {
      const { own, recovery, userId } = await recovering();
      const forged = await recovery.submit('recoverUser', { userId, authenticator: forgedPasskeyParams() });
      expect(errorOf(forged)).toMatchObject({ status: 400, code: 'INVALID_ATTESTATION' });
      expect((await own.data('getAuthenticators', { userId })).authenticators).toEqual([]);
      expect((await recovery.submit('recoverUser', { userId, authenticator: passkeyParams() })).status).toBe(200);
    });

    test('one use ends every recovery of the user, and of two concurrent uses one succeeds', async () => {
      const { own, backend, recovery, email, userId } = await recovering();
      const target = newTarget();
      await backend.result('initUserEmailRecovery', { email, targetPublicKey: target.hex });
      const second = own.with({ key: keyFrom(bundleIn((await inbox.to(email, 2)).at(-1)?.text ?? ''), target) });
      const answers = await Promise.all(
        [recovery, second, recovery].map((caller) => caller.submit('recoverUser', { userId, authenticator: passkeyParams() })),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect((await own.data('getAuthenticators', { userId })).authenticators).toHaveLength(1);
    });

    test('the key expires', async () => {
      const { service } = subject();
      const { recovery, userId } = await recovering({ expirationSeconds: '60' });
      service.setAheadMs(1 * MINUTES);
      const answer = await recovery.submit('recoverUser', { userId, authenticator: passkeyParams() });
      expect(errorOf(answer)).toEqual({ status: 401, code: 'API_KEY_EXPIRED' });
      service.setAheadMs(0);
    });

    test('ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY is refused where it is turned off, and for an unknown address', async () => {
      const { backend, email } = await createCustomer(root(), { disableEmailRecovery: true });
      const off = await backend.submit('initUserEmailRecovery', { email, targetPublicKey: newTarget().hex });
      expect(errorOf(off)).toMatchObject({ status: 400, code: 'PRECONDITION_FAILED' });
      const unknown = await root().submit('initUserEmailRecovery', { email: newAddress(), targetPublicKey: newTarget().hex });
      expect(errorOf(unknown)).toEqual({ status: 404, code: 'NOT_FOUND', fields: ['email'] });
    });

    test('D30: callers without permission get one answer for known and unknown addresses', async () => {
      const { email } = await createReachable(root());
      const { caller } = await createMember(root());
      const ask = async (address: string) => {
        const { status, body } = await caller.submit('initUserEmailRecovery', {
          email: address,
          targetPublicKey: newTarget().hex,
        });
        return [status, body.message];
      };
      expect(await ask(email)).toEqual(await ask(newAddress()));
    });

    test('an invitation is mailed with a link, and its key accepts it', async () => {
      const { own, userId: senderUserId } = await createCustomer(root());
      const email = newAddress();
      const invitation = {
        receiverUserName: uniqueName('Invited'),
        receiverUserEmail: email,
        receiverUserTags: [],
        accessType: 'ACCESS_TYPE_WEB',
        senderUserId,
      };
      const { invitationIds } = await own.result('createInvitations', { invitations: [invitation] });
      const [mail] = await inbox.to(email);
      expect(mail?.subject).toBe('Somebody invites you to Countersign');
      const link = /https:\/\/app\.example\.com\/join#(\S+)/.exec(mail?.text ?? '')?.[1] ?? '';
      expect(mail?.html).toContain(`href="https://app.example.com/join#${link}"`);
      const [organizationId, invitationId, userId, apiPrivateKey = ''] = decodeURIComponent(link).split('.');
      expect([organizationId, [invitationId]]).toEqual([own.organizationId, invitationIds]);
      const { credential } = (await keysOf(own, userId as string))[0];
      const receiver = own.with({ key: importApiKey({ apiPublicKey: credential.publicKey, apiPrivateKey }) });
      const accepted = await receiver.result('acceptInvitation', { invitationId, userId, authenticator: passkeyParams() });
      expect(accepted).toEqual({ invitationId, userId });
      expect((await subject().raw.dump()).includes(apiPrivateKey)).toBe(false);
    });
  },
  { config: { ...mailSettings(inbox), invitationUrl: 'https://app.example.com/join#%s' } },
);
