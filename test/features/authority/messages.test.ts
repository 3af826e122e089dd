import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import type { Answer, Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { errorOf, uniqueName } from '../../support/world.ts';
import { createOrganization as createTenant } from '../catalogue/support/organizations.ts';
import { createCustomer, mailSettings, newAddress } from '../sign-in/mail-support.ts';
import { MINUTES } from '../sign-in/sessions-support.ts';
import { startInbox } from '../sign-in/smtp-inbox.ts';
import { newTarget } from '../sign-in/transfer-support.ts';

const inbox = await startInbox();
const posted: string[] = [];
const gateway = createServer(async (request, response) => {
  posted.push(JSON.parse(await text(request)).text);
  response.writeHead(202).end();
});
await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
afterAll(async () => {
  gateway.close();
  await inbox.stop();
});

const config = {
  ...mailSettings(inbox),
  smsUrl: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/`,
  maxMailsPerSubOrganization: 3,
  maxMailsOfSubOrganizations: 20,
  maxTextMessagesPerSubOrganization: 2,
};

const sms = { name: 'FEATURE_NAME_SMS_AUTH', value: '' };
const ungranted = { status: 400, code: 'PRECONDITION_FAILED', fields: ['name'] };

describeEngines(
  'messages in the name of the operator',
  (subject) => {
    const root = () => subject().service.root;
    const init = (caller: Caller, more: object = {}) =>
      caller.submit('initOtp', { otpType: 'OTP_TYPE_EMAIL', contact: newAddress(), ...more });
    const text = (caller: Caller, more: object = {}) =>
      init(caller, { otpType: 'OTP_TYPE_SMS', contact: '+15555550100', ...more });
    const fieldsOf = (answer: Answer) => {
      const { status, code, fields } = errorOf(answer);
      expect({ status, code }).toEqual({ status: 400, code: 'REQUEST_INVALID' });
      return fields;
    };

    test('A11: a sub-organization can enable text messages only while its parent has them enabled', async () => {
      const { own } = await createCustomer(root());
      expect(errorOf(await own.submit('setOrganizationFeature', sms))).toEqual(ungranted);
      await root().result('setOrganizationFeature', sms);
      await own.result('setOrganizationFeature', sms);
      expect((await text(own)).status).toBe(200);
      await root().result('removeOrganizationFeature', { name: sms.name });
      expect(errorOf(await text(own))).toEqual(ungranted);
    });

    test('A11: a top-level organization needs the operator’s grant to enable text messages, the operator’s own does not', async () => {
      const tenant = await createTenant(root(), subject().service);
      const refused = await tenant.submit('setOrganizationFeature', sms);
      expect(errorOf(refused)).toEqual(ungranted);
      expect(refused.body.message).toContain('grantedFeatures');
      await root().result('setOrganizationFeature', sms);
      expect((await text(root())).status).toBe(200);
    });

    test('A11: a parent’s backend chooses the text of a message, an end user does not', async () => {
      await root().result('setOrganizationFeature', sms);
      const { own, backend, phoneNumber } = await createCustomer(root());
      await own.result('setOrganizationFeature', sms);
      const smsCustomization = { template: 'Your parcel waits: https://evil.example/{{.OtpCode}}' };
      expect(fieldsOf(await text(own, { smsCustomization }))).toEqual(['smsCustomization.template']);
      const contact = { otpType: 'OTP_TYPE_SMS', contact: phoneNumber };
      expect((await backend.submit('initOtpAuth', { ...contact, smsCustomization })).status).toBe(200);
      expect((await text(own)).status).toBe(200);
      expect((await text(own)).status).toBe(200);
      const spent = await text(own);
      expect(errorOf(spent)).toEqual({ status: 429, code: 'RATE_LIMIT_EXCEEDED' });
      expect(spent.body.message).toContain('limit of 2 text messages');
      expect(spent.body.message).toContain('(maxTextMessagesPerSubOrganization)');
      expect((await backend.submit('initOtpAuth', contact)).status).toBe(200);
    });

    const chosen = {
      sendFromEmailAddress: 'security@countersign.example',
      sendFromEmailSenderName: 'Security team',
      replyToEmailAddress: 'evil@example.org',
      emailCustomization: {
        appName: 'URGENT: your account is closed',
        logoUrl: 'https://evil.example/logo.png',
        magicLinkTemplate: 'https://evil.example/%s',
        templateId: 'welcome',
        templateVariables: '{"a":"b"}',
      },
    };

    test('A11: an end user cannot choose sender, reply address, link, logo or template of a mail', async () => {
      const { own, email } = await createCustomer(root());
      const { appName, ...look } = chosen.emailCustomization;
      for (const [field, value] of Object.entries(chosen)) {
        if (field === 'emailCustomization') continue;
        expect(fieldsOf(await init(own, { [field]: value }))).toEqual([field]);
      }
      for (const [field, value] of Object.entries(look))
        expect(fieldsOf(await init(own, { emailCustomization: { [field]: value } }))).toEqual([`emailCustomization.${field}`]);
      const mailed = { email, targetPublicKey: newTarget().hex };
      const link = { emailCustomization: { magicLinkTemplate: look.magicLinkTemplate } };
      for (const name of ['emailAuth', 'initUserEmailRecovery'] as const)
        expect(fieldsOf(await own.submit(name, { ...mailed, ...link }))).toEqual(['emailCustomization.magicLinkTemplate']);
    });

    test('D331: the mail of an end user has the application name if it is a plain name, and others are rejected', async () => {
      const { own, email } = await createCustomer(root());
      const texts = [
        chosen.emailCustomization.appName,
        'evil.example',
        'evil．example',
        'Call 0800 12345',
        'your account was closed yesterday',
        'a@b',
        '<b>Bank</b>',
        '\u202eknaB',
        'x'.repeat(33),
      ];
      const named = (appName: string, contact = newAddress()) =>
        own.submit('initOtp', { otpType: 'OTP_TYPE_EMAIL', contact, appName }, { type: 'ACTIVITY_TYPE_INIT_OTP_V2' });
      for (const appName of texts) {
        expect(fieldsOf(await named(appName))).toEqual(['appName']);
        const emailCustomization = { appName };
        for (const name of ['emailAuth', 'initUserEmailRecovery'] as const)
          expect(fieldsOf(await own.submit(name, { email, targetPublicKey: newTarget().hex, emailCustomization }))).toEqual([
            'appName',
          ]);
      }
      const contact = newAddress();
      expect((await named('Müller & Söhne 24', contact)).status).toBe(200);
      const [code] = await inbox.to(contact);
      expect(code?.subject).toBe('Your Müller & Söhne 24 code');
      const emailCustomization = { appName: 'Nimbus Wallet' };
      await own.result('emailAuth', { email, targetPublicKey: newTarget().hex, emailCustomization });
      expect((await inbox.to(email))[0]?.subject).toBe('Sign in to Nimbus Wallet');
    });

    test('A11: an invitation names its sender only if the operator’s organization sends it', async () => {
      const { own, userId } = await createCustomer(root());
      await own.result('updateOrganizationName', { organizationName: 'Win a prize at evil.example' });
      const invite = async (caller: Caller, senderUserId: string) => {
        const receiverUserEmail = newAddress();
        const receiver = { receiverUserName: uniqueName('Invited'), receiverUserEmail, receiverUserTags: [] };
        const invitation = { ...receiver, accessType: 'ACCESS_TYPE_WEB', senderUserId };
        await caller.result('createInvitations', { invitations: [invitation] });
        return (await inbox.to(receiverUserEmail))[0];
      };
      const mail = await invite(own, userId);
      expect(mail?.subject).toBe('Somebody invites you to Countersign');
      expect(JSON.stringify(mail)).not.toContain('evil.example');
      const operators = await invite(root(), (await root().data('whoami')).userId);
      expect(operators?.subject).toBe('Root user invites you to First organization');
    });

    test('A11: a parent’s backend and a top-level organization can customize mails', async () => {
      const { backend, email } = await createCustomer(root());
      const { templateId: _, templateVariables: __, ...look } = chosen.emailCustomization;
      const target = { targetPublicKey: newTarget().hex };
      await backend.result('emailAuth', { ...chosen, emailCustomization: look, email, ...target });
      const [mail] = await inbox.to(email);
      expect(mail?.headers).toMatchObject({
        from: 'Security team <security@countersign.example>',
        'reply-to': 'evil@example.org',
      });
      const tenant = await createTenant(root(), subject().service);
      const contact = newAddress();
      expect((await init(tenant, { contact, emailCustomization: { appName: 'Tenant' } })).status).toBe(200);
      expect((await inbox.to(contact))[0]?.subject).toBe('Your Tenant code');
    });

    test('A11: an end user has a small daily mail quota, separate from that of the parent’s backend', async () => {
      const { service, raw } = subject();
      const { own, backend, email, organizationId } = await createCustomer(root());
      const body = own.submitBody('initOtp', { otpType: 'OTP_TYPE_EMAIL', contact: newAddress() });
      const first = await own.send(own.submitPath('initOtp'), body);
      for (let count = 1; count < 3; count++) expect((await init(own)).status).toBe(200);
      const spent = await init(own);
      expect(errorOf(spent)).toEqual({ status: 429, code: 'RATE_LIMIT_EXCEEDED' });
      expect(spent.body.message).toMatch(
        /limit of 3 mails .* per day \(maxMailsPerSubOrganization\)\. Try again after \d{4}-.*T00:00/,
      );
      expect(Number(spent.headers.get('retry-after'))).toBeGreaterThan(0);
      const invitation = { receiverUserName: 'A', receiverUserEmail: newAddress(), receiverUserTags: [] };
      const { userId: senderUserId } = await own.data('whoami');
      const invitations = [{ ...invitation, accessType: 'ACCESS_TYPE_WEB', senderUserId }];
      expect(errorOf(await own.submit('createInvitations', { invitations }))).toMatchObject({ status: 429 });
      // The same request again is the same activity, and costs nothing.
      expect((await own.send(own.submitPath('initOtp'), body)).body).toEqual(first.body);
      const counted = await raw.all('SELECT amount FROM counters WHERE organization_id = ?', organizationId);
      expect(counted.map(({ amount }) => Number(amount))).toEqual([3]);
      // Asking the parent for mail to somebody uses up nothing of theirs either.
      for (let count = 0; count < 4; count++) await backend.result('emailAuth', { email, targetPublicKey: newTarget().hex });
      service.setAheadMs(24 * 60 * MINUTES);
      const tomorrow = { timestampMs: String(Date.now() + 24 * 60 * MINUTES) };
      const params = { otpType: 'OTP_TYPE_EMAIL', contact: newAddress() };
      expect((await own.submit('initOtp', params, tomorrow)).status).toBe(200);
      service.setAheadMs(0);
    });
  },
  { config },
);

describeEngines(
  'daily mail quota',
  (subject) => {
    const root = () => subject().service.root;
    const init = (caller: Caller) => caller.submit('initOtp', { otpType: 'OTP_TYPE_EMAIL', contact: newAddress() });
    const limitIn = ({ status, body }: Answer) => (status === 429 ? /\((\w+)\)/.exec(body.message)?.[1] : status);

    test('A11: all sub-organizations of a parent share one quota, also concurrently, and the parent has its own', async () => {
      const [first, second] = [await createCustomer(root()), await createCustomer(root())];
      const answers = await Promise.all([first, second, first, second, first, second].map(({ own }) => init(own)));
      expect(answers.map(limitIn).toSorted()).toEqual([
        200,
        200,
        200,
        200,
        'maxMailsOfSubOrganizations',
        'maxMailsOfSubOrganizations',
      ]);
      const tenant = await createTenant(root(), subject().service);
      const { own: elsewhere } = await createCustomer(tenant);
      expect((await init(elsewhere)).status).toBe(200);
      for (let count = 0; count < 5; count++) expect((await init(root())).status).toBe(200);
      expect(limitIn(await init(root()))).toBe('maxMails');
      expect((await init(tenant)).status).toBe(200);
    });
  },
  { config: { ...mailSettings(inbox), maxMails: 5, maxMailsPerSubOrganization: 5, maxMailsOfSubOrganizations: 4 } },
);

describeEngines(
  'granted features',
  (subject) => {
    test('A11: with the operator’s grant a top-level organization enables text messages, and then its sub-organizations', async () => {
      const tenant = await createTenant(subject().service.root, subject().service);
      const { own } = await createCustomer(tenant);
      expect(errorOf(await own.submit('setOrganizationFeature', sms))).toEqual(ungranted);
      await tenant.result('setOrganizationFeature', sms);
      await own.result('setOrganizationFeature', sms);
    });
  },
  { config: { grantedFeatures: ['FEATURE_NAME_SMS_AUTH'] } },
);
