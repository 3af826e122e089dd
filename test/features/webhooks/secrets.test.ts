import { afterAll, expect, test } from 'vitest';
import { TestIssuer } from '../../../packages/server/test/auth/oidc/test-issuer.ts';
import { newApiKey } from '../../support/api-key.ts';
import { type Caller, resultOf } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { bundleIn, createCustomer, mailSettings } from '../sign-in/mail-support.ts';
import { createLinkedMember, loginParams, oauthParams, trust } from '../sign-in/oidc-support.ts';
import { newestCode, wrong } from '../sign-in/otp-support.ts';
import { type Inbox, startInbox } from '../sign-in/smtp-inbox.ts';
import { newTarget } from '../sign-in/transfer-support.ts';
import { createEndpoint, gist, nothingWaits, plainEvent, toLoopback, waitingEvents } from './support.ts';
import { useReceivers } from './use-receivers.ts';

const inbox = await startInbox();
const issuer = await TestIssuer.start();
afterAll(() => Promise.all([inbox.stop(), issuer.close()]));

/** Signs in in every way, with some mistakes, and returns every value that somebody else could sign in with. */
async function signInByEveryWay(root: Caller, mail: Inbox): Promise<string[]> {
  const { email, backend, own } = await createCustomer(root);
  const contact = { otpType: 'OTP_TYPE_EMAIL', contact: email };
  const { otpId } = await root.result('initOtp', contact);
  const code = await newestCode(mail, email);
  await root.submit('verifyOtp', { otpId, otpCode: wrong(code) });
  // JSON allows this: the name of the field is escaped.
  const escaped = root.submitBody('verifyOtp', { otpId, otpCode: code }).replace('otpCode', 'otp\\u0043ode');
  const { verificationToken } = resultOf(await root.send(root.submitPath('verifyOtp'), escaped));
  await backend.result('otpLogin', { verificationToken, publicKey: newApiKey().publicKey });

  const { otpId: authId } = await backend.result('initOtpAuth', contact);
  const authCode = await newestCode(mail, email, 2);
  await backend.result('otpAuth', { otpId: authId, otpCode: authCode, targetPublicKey: newTarget().hex });
  await backend.result('emailAuth', { email, targetPublicKey: newTarget().hex });
  const bundle = bundleIn((await mail.to(email, 3)).at(-1)?.text ?? '');
  const { session } = await own.result('createReadOnlySession', {});

  const { sub } = await createLinkedMember(root, issuer);
  const { params: oauth } = await oauthParams(issuer, sub);
  await root.result('oauth', oauth);
  const { params: login } = await loginParams(issuer, sub);
  await root.result('oauthLogin', login);
  return [code, wrong(code), authCode, verificationToken, bundle, session, oauth.oidcToken, login.oidcToken];
}

describeEngines(
  'webhooks and credentials',
  (subject) => {
    const receiver = useReceivers(() => subject().raw);

    test('D60, D61: no value that somebody could sign in with is in a waiting or delivered event or in the log', async () => {
      const { service, raw } = subject();
      const { root } = service;
      const hook = await receiver();
      hook.answer(() => 503);
      const endpointId = await createEndpoint(root, hook.url);
      const secrets = await signInByEveryWay(root, inbox);
      const waiting = (await waitingEvents(raw)).map((row) => plainEvent(service, row));
      expect(waiting.every((body) => body.startsWith('{'))).toBe(true);
      hook.answer(() => 200);
      await nothingWaits(raw);
      await root.result('deleteWebhookEndpoint', { endpointId });

      const told = hook.deliveries.map(gist).join('\n');
      for (const type of [
        'VERIFY_OTP',
        'OTP_LOGIN',
        'OTP_AUTH',
        'EMAIL_AUTH',
        'OAUTH',
        'OAUTH_LOGIN',
        'CREATE_READ_ONLY_SESSION',
      ])
        expect(told).toMatch(new RegExp(` ${type}(_V\\d)? COMPLETED`));
      for (const secret of secrets) {
        expect(secret.length).toBeGreaterThanOrEqual(6);
        expect(waiting.filter((body) => body.includes(secret))).toEqual([]);
        expect(hook.deliveries.filter(({ body }) => body.includes(secret))).toEqual([]);
        expect(service.logText()).not.toContain(secret);
      }
      // Emptied fields are still shown.
      const verified = hook.deliveries.find(({ activity }) => activity.type.startsWith('ACTIVITY_TYPE_VERIFY_OTP'));
      expect(verified?.activity.votes).toMatchObject([{ message: '' }]);
      expect(JSON.stringify(verified?.activity.intent)).toContain('"otpCode":""');
    });
  },
  { config: { ...toLoopback.config, ...mailSettings(inbox), oidcIssuers: [trust(issuer.url)], bindIdentityLinks: false } },
);
