import { afterAll, expect, test } from 'vitest';
import { TestIssuer } from '../../../packages/server/test/auth/oidc/test-issuer.ts';
import { newApiKey } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, userParams } from '../../support/world.ts';
import { createOrganization, memberAt, outcomeOf } from '../policies/support.ts';
import { mailSettings, newAddress } from '../sign-in/mail-support.ts';
import { link, loginParams, newSubject, nonceFor, oauthParams, trust } from '../sign-in/oidc-support.ts';
import { boundToken, claimsOf, clientSignature, loginStatement } from '../sign-in/otp-support.ts';
import { startInbox } from '../sign-in/smtp-inbox.ts';
import { newTarget } from '../sign-in/transfer-support.ts';
import { DONE, FROZEN } from './freeze-support.ts';

const issuer = await TestIssuer.start();
const inbox = await startInbox();
afterAll(async () => {
  await issuer.close();
  await inbox.stop();
});

describeEngines(
  'sign-in of a frozen user',
  (subject) => {
    test('D377: no sign-in opens a session of a frozen user, whoever stamps it; after the unfreeze it does', async () => {
      const { root, ...organization } = await createOrganization(subject().service.root, { members: 1 });
      const { userId, caller } = memberAt(organization, 0);
      for (const name of ['FEATURE_NAME_EMAIL_AUTH', 'FEATURE_NAME_OTP_EMAIL_AUTH'])
        await root.result('setOrganizationFeature', { name, value: '' });
      const email = newAddress();
      await root.result('updateUserEmail', { userId, userEmail: email });
      const sub = newSubject();
      await link(caller, userId, await issuer.token({ sub, nonce: nonceFor(caller.key.publicKey) }));
      const { caller: other } = await createMember(root);

      const signIns = {
        oauthLogin: async () => root.submit('oauthLogin', (await loginParams(issuer, sub)).params),
        oauth: async () => root.submit('oauth', (await oauthParams(issuer, sub)).params),
        async otpLogin() {
          const key = newApiKey();
          const verificationToken = await boundToken(root, inbox, email, key);
          const statement = loginStatement(claimsOf(verificationToken).id, key.publicKey);
          return root.submit('otpLogin', {
            verificationToken,
            publicKey: key.publicKey,
            clientSignature: clientSignature(key, statement),
          });
        },
        // The last one, because its mail contains no code.
        emailAuth: () => root.submit('emailAuth', { email, targetPublicKey: newTarget().hex }),
      };
      await root.result('freeze', { userIds: [userId], reason: 'a stolen laptop' });
      for (const [name, signIn] of Object.entries(signIns)) {
        const answer = await signIn();
        expect([name, outcomeOf(answer)]).toEqual([name, FROZEN]);
        // The response can go to a stranger.
        expect(answer.body.message).not.toContain('laptop');
      }
      const keys = (await root.data('getApiKeys', { userId })).apiKeys;
      expect(keys).toHaveLength(1);
      // The root quorum can prepare a new credential, and others sign in.
      await root.result('createSetupKey', { userId, publicKey: newApiKey().publicKey });
      await root.result('createUsers', { users: [userParams(newApiKey())] });
      expect((await other.submit('stampLogin', { publicKey: newApiKey().publicKey })).status).toBe(200);
      await root.result('unfreeze', { userIds: [userId] });
      for (const [name, signIn] of Object.entries(signIns)) expect([name, outcomeOf(await signIn())]).toEqual([name, DONE]);
    });
  },
  { config: { ...mailSettings(inbox), oidcIssuers: [trust(issuer.url)] } },
);
