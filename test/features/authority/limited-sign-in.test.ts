import { afterAll, expect, test } from 'vitest';
import { TestIssuer } from '../../../packages/server/test/auth/oidc/test-issuer.ts';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, createMember, errorOf, uniqueName } from '../../support/world.ts';
import { passkeyParams, sendWithPasskey } from '../catalogue/support/passkeys.ts';
import { addKey, HERE, only, ownOrganization } from '../ip-allowlists/support.ts';
import { exportAudit, logKey, verifyText } from '../log/audit-support.ts';
import { createOrganization, createPolicy, userIs } from '../policies/support.ts';
import { mailSettings, newAddress } from '../sign-in/mail-support.ts';
import { loginParams, newSubject, nonceFor, providerParams, trust } from '../sign-in/oidc-support.ts';
import { boundToken } from '../sign-in/otp-support.ts';
import { login } from '../sign-in/sessions-support.ts';
import { startInbox } from '../sign-in/smtp-inbox.ts';

const issuer = await TestIssuer.start();
const inbox = await startInbox();
afterAll(async () => {
  await issuer.close();
  await inbox.stop();
});

const denied = { status: 403, code: 'POLICY_DENIED' };

describeEngines(
  'a limited credential and new ways to sign in',
  (subject) => {
    const first = () => subject().service.root;

    /** Links a new identity with the caller's credential. */
    async function link(caller: Caller, userId: string, nonce = nonceFor(caller.key.publicKey)) {
      const sub = newSubject();
      const oauthProviders = [providerParams(await issuer.token({ sub, nonce }))];
      return { sub, answer: await caller.submit('createOauthProviders', { userId, oauthProviders }) };
    }

    async function expiringKey(caller: Caller, userId: string): Promise<Caller> {
      const key = newApiKey();
      await caller.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key, { expirationSeconds: '3600' })] });
      return caller.with({ key });
    }

    test('D375: a key that expires, a key with an IP allowlist and a session with a profile link no identity', async () => {
      const { root } = await ownOrganization(subject().service);
      const profile = { sessionProfileName: uniqueName('Profile'), scope: "activity.resource == 'CREDENTIAL'" };
      const { sessionProfileId } = await root.result('createSessionProfile', profile);
      await root.result('setOrganizationFeature', { name: 'FEATURE_NAME_SESSION_SELF_SERVICE', value: '' });
      const { userId, caller } = await createMember(root);
      const { key } = await addKey(root, userId);
      await root.result('setIpAllowlist', { publicKey: key.publicKey, ...only(HERE) });
      const limited = [
        await expiringKey(caller, userId),
        caller.with({ key }),
        await login(caller, { sessionProfileId }),
        await login(await expiringKey(caller, userId)),
      ];
      for (const each of limited) expect(errorOf((await link(each, userId)).answer)).toEqual(denied);
      expect((await root.data('getOauthProviders', { userId })).oauthProviders).toEqual([]);

      // A key without limits, an ordinary session and a passkey link identities, which sign in.
      for (const each of [caller, await login(caller)]) {
        const { sub, answer } = await link(each, userId);
        expect(answer.status).toBe(200);
        const { key: session, params } = await loginParams(issuer, sub);
        expect((await root.submit('oauthLogin', params)).status).toBe(200);
        expect(await root.with({ key: session }).data('whoami')).toMatchObject({ userId });
      }
      const passkey = new SoftwareAuthenticator();
      const registration = passkeyParams(passkey);
      await root.result('createAuthenticators', { userId, authenticators: [registration] });
      const oidcToken = await issuer.token({ sub: newSubject(), nonce: nonceFor(registration.attestation.credentialId) });
      const body = caller.submitBody('createOauthProviders', { userId, oauthProviders: [providerParams(oidcToken)] });
      expect((await sendWithPasskey(caller, passkey, caller.submitPath('createOauthProviders'), body)).status).toBe(200);
      expect((await verifyText(await exportAudit(root), await logKey(root.url))).ok).toBe(true);
    });

    test('D375: the root user of a sub-organization, who is alone, links an identity with any credential', async () => {
      const { root, roots } = await createOrganization(first());
      const userId = roots[0]?.userId as string;
      expect((await link(await expiringKey(root, userId), userId)).answer.status).toBe(200);
    });

    test('D375: nor do they prove an address that signs their user in, where a policy lets users change theirs', async () => {
      const { root } = await createOrganization(first());
      const member = await createMember(root);
      const { userId, caller } = member;
      await createPolicy(root, 'ALLOW', { condition: "activity.kind == 'UPDATE_USER_EMAIL'", consensus: userIs(member) });
      const expiring = await expiringKey(caller, userId);
      const change = async (by: Caller) => {
        const userEmail = newAddress();
        const verificationToken = await boundToken(root, inbox, userEmail, newApiKey());
        return by.submit('updateUserEmail', { userId, userEmail, verificationToken });
      };
      expect(errorOf(await change(expiring))).toEqual(denied);
      expect((await change(caller)).status).toBe(200);
    });
  },
  { config: { ...mailSettings(inbox), oidcIssuers: [trust(issuer.url)] } },
);
