import { afterAll, expect, test } from 'vitest';
import { KEYS_PATH, TestIssuer } from '../../../packages/server/test/auth/oidc/test-issuer.ts';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { importApiKey, newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, createWallet, errorOf, type Member, signParams, uniqueName, userParams } from '../../support/world.ts';
import { passkeyParams, sendWithPasskey } from '../catalogue/support/passkeys.ts';
import { createOrganization, createPolicy, memberAt, outcomeOf, type Pending, submitPending } from '../policies/support.ts';
import { bundleIn, createCustomer, keyFrom, mailSettings, newAddress } from '../sign-in/mail-support.ts';
import { newSubject, providerParams, trust } from '../sign-in/oidc-support.ts';
import { startInbox } from '../sign-in/smtp-inbox.ts';
import { newTarget } from '../sign-in/transfer-support.ts';

const SIGNING = "activity.action == 'SIGN'";
const GOOGLE = 'https://accounts.google.com';
const inbox = await startInbox();
const issuer = await TestIssuer.start();
afterAll(() => Promise.all([inbox.stop(), issuer.close()]));

const step = (type: string) => ({ any: [{ type: `AUTHENTICATION_TYPE_${type}` }] });

describeEngines(
  'bypassing MFA policies',
  (subject) => {
    const service = () => subject().service;

    /** Gives a user a passkey, and an MFA policy that demands it. */
    async function demandPasskey(root: Caller, userId: string, condition = SIGNING, first = 'API_KEY') {
      const passkey = new SoftwareAuthenticator();
      await root.result('createAuthenticators', { userId, authenticators: [passkeyParams(passkey)] });
      const requiredAuthenticationMethods = [step(first), step('PASSKEY')];
      const policy = { userId, mfaPolicyName: uniqueName('MFA'), condition, requiredAuthenticationMethods, order: 0 };
      const { mfaPolicyId } = await root.result('createMfaPolicy', policy);
      return { passkey, mfaPolicyId };
    }

    async function protectedRoot(condition?: string) {
      const organization = await createOrganization(service().root, { members: 1 });
      const [person] = organization.roots as [Member];
      const { addresses } = await createWallet(person.caller);
      const member = memberAt(organization, 0);
      const { passkey } = await demandPasskey(person.caller, person.userId, condition);
      return { root: person.caller, userId: person.userId, member, passkey, address: addresses[0] as string };
    }

    const approveWith = (caller: Caller, passkey: SoftwareAuthenticator, { fingerprint }: Pending) =>
      sendWithPasskey(
        caller,
        passkey,
        caller.submitPath('approveActivity'),
        caller.submitBody('approveActivity', { fingerprint }),
      );

    test('A49: an MFA policy about signing also covers changes that would let another user sign', async () => {
      const { root, userId, member, passkey } = await protectedRoot();
      const { userId: otherId } = member;
      const attempts = [
        ['createUsers', { users: [userParams(newApiKey())] }],
        ['createPolicy', { policyName: uniqueName('Policy'), effect: 'EFFECT_ALLOW', notes: '', condition: SIGNING }],
        ['updateRootQuorum', { threshold: 1, userIds: [userId, otherId] }],
        ['createApiKeys', { userId: otherId, apiKeys: [apiKeyParams(newApiKey())] }],
        ['createReadWriteSession', { userId: otherId, targetPublicKey: newTarget().hex }],
        ['setOrganizationFeature', { name: 'FEATURE_NAME_SESSION_SELF_SERVICE', value: '' }],
      ] as const;
      const waiting: Pending[] = [];
      for (const [name, params] of attempts) waiting.push(await submitPending(root, name, params));
      const users = (await root.data('listUsers')).users.length;
      expect(outcomeOf(await approveWith(root, passkey, waiting[0] as Pending))).toBe('200 COMPLETED');
      expect((await root.data('listUsers')).users).toHaveLength(users + 1);
    });

    test('A49: the other user may be named by id or e-mail address', async () => {
      const { root, member, passkey } = await protectedRoot();
      const email = newAddress();
      const change = await submitPending(root, 'updateUserEmail', { userId: member.userId, userEmail: email });
      expect(outcomeOf(await approveWith(root, passkey, change))).toBe('200 COMPLETED');
      const params = { email, targetPublicKey: newTarget().hex, apiKeyName: uniqueName('Session') };
      const session = await root.submit('createReadWriteSession', params, { type: 'ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION' });
      expect(outcomeOf(session)).toBe('200 CONSENSUS_NEEDED');
    });

    test('one factor is enough for activities without effect on authority, and for those that the condition excludes', async () => {
      const { root, address } = await protectedRoot(`${SIGNING} && activity.resource != 'USER'`);
      await root.result('createWallet', { walletName: uniqueName('Wallet'), accounts: [] });
      await root.result('createReadWriteSession', { targetPublicKey: newTarget().hex });
      await root.result('createUsers', { users: [userParams(newApiKey())] });
      expect(outcomeOf(await root.submit('signRawPayload', signParams(address)))).toBe('200 CONSENSUS_NEEDED');
    });

    test('A02: an API key cannot create an MFA policy that demands the key itself beside its user’s passkey', async () => {
      const { root, members } = await createOrganization(service().root, { members: 2 });
      const [holder, plain] = [memberAt({ members }, 0), memberAt({ members }, 1)];
      const demanding = ({ userId }: Member) => ({
        userId,
        mfaPolicyName: uniqueName('MFA'),
        condition: 'true',
        requiredAuthenticationMethods: [step('API_KEY')],
        order: 0,
      });
      const passkey = new SoftwareAuthenticator();
      await root.result('createAuthenticators', { userId: holder.userId, authenticators: [passkeyParams(passkey)] });
      const { caller } = holder;
      const answer = await caller.submit('createMfaPolicy', demanding(holder));
      expect(errorOf(answer)).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
      expect(answer.body.message).toContain('a stronger one');
      const body = caller.submitBody('createMfaPolicy', demanding(holder));
      expect(outcomeOf(await sendWithPasskey(caller, passkey, caller.submitPath('createMfaPolicy'), body))).toBe('200 COMPLETED');
      expect(outcomeOf(await plain.caller.submit('createMfaPolicy', demanding(plain)))).toBe('200 COMPLETED');
    });

    /** A customer, and the key of a recovery mail to them. */
    async function recovering() {
      const customer = await createCustomer(service().root);
      const target = newTarget();
      await customer.backend.result('initUserEmailRecovery', { email: customer.email, targetPublicKey: target.hex });
      const [mail] = await inbox.to(customer.email);
      return { ...customer, recovery: customer.own.with({ key: keyFrom(bundleIn(mail?.text ?? ''), target) }) };
    }

    test('A50: access to the mailbox of a user with an MFA policy does not recover a second factor', async () => {
      const { own, userId, recovery } = await recovering();
      await demandPasskey(own, userId, 'true', 'EMAIL_OTP');
      const recovered = await recovery.submit('recoverUser', { userId, authenticator: passkeyParams() });
      expect(errorOf(recovered)).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
      expect(recovered.body.message).toContain('MFA policy');
      expect((await own.data('getAuthenticators', { userId })).authenticators).toHaveLength(1);
    });

    test('recovery works for a user without an MFA policy', async () => {
      const { userId, recovery } = await recovering();
      expect(outcomeOf(await recovery.submit('recoverUser', { userId, authenticator: passkeyParams() }))).toBe('200 COMPLETED');
    });

    test('A50: an open invitation does not either', async () => {
      const { own, userId: senderUserId } = await createCustomer(service().root);
      const receiverUserEmail = newAddress();
      const receiver = { receiverUserName: uniqueName('Invited'), receiverUserEmail, receiverUserTags: [] };
      const invitations = [{ ...receiver, accessType: 'ACCESS_TYPE_WEB', senderUserId }];
      await own.result('createInvitations', { invitations });
      const [mail] = await inbox.to(receiverUserEmail);
      const [, invitationId, userId = '', apiPrivateKey = ''] =
        /^\S+\.\S+\.\S+\.[0-9a-f]{64}$/m.exec(mail?.text ?? '')?.[0].split('.') ?? [];
      const { apiKeys } = await own.data('getApiKeys', { userId });
      const key = importApiKey({ apiPublicKey: apiKeys[0].credential.publicKey, apiPrivateKey });
      await demandPasskey(own, userId, 'true', 'EMAIL_OTP');
      const accept = { invitationId, userId, authenticator: passkeyParams() };
      expect(errorOf(await own.with({ key }).submit('acceptInvitation', accept))).toMatchObject({ code: 'POLICY_DENIED' });
      await createPolicy(own, 'ALLOW', { condition: 'true' });
      expect(errorOf(await own.with({ key }).submit('acceptInvitation', accept))).toMatchObject({ code: 'POLICY_DENIED' });
    });

    test('A50: the parent cannot link an account by that e-mail address', async () => {
      const { own, backend, userId, email } = await createCustomer(service().root);
      const google = async () =>
        providerParams(await issuer.token({ iss: GOOGLE, sub: newSubject(), email, email_verified: true }));
      const link = async () => backend.submit('createOauthProviders', { userId, oauthProviders: [await google()] });
      expect(outcomeOf(await link())).toBe('200 COMPLETED');
      await demandPasskey(own, userId, 'true', 'EMAIL_OTP');
      const answer = await link();
      expect(errorOf(answer)).toMatchObject({ code: 'PRECONDITION_FAILED' });
      expect(answer.body.message).toContain('MFA policy');
    });
  },
  { config: { ...mailSettings(inbox), oidcIssuers: [trust(GOOGLE, { jwksUri: `${issuer.url}${KEYS_PATH}` })] } },
);
