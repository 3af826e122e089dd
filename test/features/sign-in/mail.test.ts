import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { createMember, createSubOrganization, errorOf, userParams } from '../../support/world.ts';
import {
  bundleIn,
  createCustomer,
  createReachable,
  keyFrom,
  mailSettings,
  newAddress,
  outboxRows,
  until,
} from './mail-support.ts';
import { keysOf, MINUTES, typesOf } from './sessions-support.ts';
import { startInbox } from './smtp-inbox.ts';
import { newTarget } from './transfer-support.ts';

const inbox = await startInbox();
const mailTemplateDir = mkdtempSync(join(tmpdir(), 'templates-'));
writeFileSync(join(mailTemplateDir, 'welcome.txt'), 'Subject: Welcome to {{appName}}\n\n{{name}}: {{secret}}\n');
writeFileSync(join(mailTemplateDir, 'welcome.html'), '<p>{{name}}: {{secret}}</p>');
afterAll(async () => {
  await inbox.stop();
  rmSync(mailTemplateDir, { recursive: true });
});

const TYPE = 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256';

describeEngines(
  'email_auth',
  (subject) => {
    const root = () => subject().service.root;

    test('ACTIVITY_TYPE_EMAIL_AUTH_V2 is executed: request, real mail server, accepted stamp', async () => {
      const { backend, own, email, userId, organizationId } = await createCustomer(root());
      const target = newTarget();
      const result = await backend.result('emailAuth', { email, targetPublicKey: target.hex });
      expect(result).toEqual({ userId, apiKeyId: expect.any(String) });
      const [mail] = await inbox.to(email);
      const key = keyFrom(bundleIn(mail?.text ?? ''), target);
      expect(await own.with({ key }).data('whoami')).toMatchObject({ userId, organizationId });
      expect((await keysOf(own, userId)).find(({ apiKeyId }) => apiKeyId === result.apiKeyId)).toMatchObject({
        apiKeyName: expect.stringMatching(/^Email Auth - \d{4}-\d\d-\d\dT/),
        expirationSeconds: '900',
        credential: { type: TYPE, publicKey: key.publicKey },
      });
    });

    test('ACTIVITY_TYPE_EMAIL_AUTH is executed on the compatible path; ACTIVITY_TYPE_EMAIL_AUTH is refused on the specification’s', async () => {
      const { email } = await createReachable(root());
      const parameters = {
        email,
        targetPublicKey: newTarget().hex,
        apiKeyName: 'My laptop',
        expirationSeconds: '60',
        emailCustomization: {
          appName: 'Ledger & Sons',
          logoUrl: 'https://static.example.com/logo.png',
          magicLinkTemplate: 'https://app.example.com/auth?bundle=%s',
          templateVariables: '{"name":"Ada"}',
          templateId: 'welcome',
        },
        invalidateExisting: true,
        sendFromEmailAddress: 'hello@countersign.example',
        sendFromEmailSenderName: 'Ledger',
        replyToEmailAddress: 'help@ledger.example',
      };
      const spec = await root().submit('emailAuth', parameters);
      const { activity } = spec.body;
      expect(activity.type).toBe('ACTIVITY_TYPE_EMAIL_AUTH_V2');
      expect(activity.result.activity.intent).toEqual({ emailAuthIntent: parameters });
      expect(Object.keys(activity.result.activity.result.emailAuthResult)).toEqual(['userId', 'apiKeyId']);
      for (const type of ['ACTIVITY_TYPE_EMAIL_AUTH', 'ACTIVITY_TYPE_EMAIL_AUTH_V2']) {
        const { body } = await root().with({ dialect: 'turnkey' }).submit('emailAuth', parameters, { type });
        const intentKey = type.endsWith('V2') ? 'emailAuthIntentV2' : 'emailAuthIntent';
        expect(body.activity.intent).toEqual({ [intentKey]: parameters });
        expect(Object.keys(body.activity.result.emailAuthResult)).toEqual(['userId', 'apiKeyId']);
      }
      const old = await root().submit('emailAuth', parameters, { type: 'ACTIVITY_TYPE_EMAIL_AUTH' });
      expect(errorOf(old)).toMatchObject({ status: 400, code: 'TYPE_MISMATCH' });
    });

    test('echoes defaults in the spec dialect', async () => {
      const { email } = await createReachable(root());
      const parameters = { email, targetPublicKey: newTarget().hex, emailCustomization: { appName: 'Ledger' } };
      const { activity } = (await root().submit('emailAuth', parameters)).body;
      expect(activity.result.activity.intent.emailAuthIntent).toEqual({
        ...parameters,
        apiKeyName: expect.stringMatching(/^Email Auth - 20\d\d-/),
        expirationSeconds: '900',
        emailCustomization: { appName: 'Ledger', logoUrl: '', magicLinkTemplate: '', templateVariables: '', templateId: '' },
        invalidateExisting: false,
        sendFromEmailAddress: '',
        sendFromEmailSenderName: '',
        replyToEmailAddress: '',
      });
    });

    test('the mail has the customization and the sender', async () => {
      const { email } = await createReachable(root());
      await root().result('emailAuth', {
        email,
        targetPublicKey: newTarget().hex,
        emailCustomization: {
          appName: 'Ledger & Sons',
          logoUrl: 'https://static.example.com/logo.png?a=1&b=2',
          magicLinkTemplate: 'https://app.example.com/auth?a=1&bundle=%s',
        },
        sendFromEmailAddress: 'hello@countersign.example',
        sendFromEmailSenderName: 'Ledger',
        replyToEmailAddress: 'help@ledger.example',
      });
      const [mail] = await inbox.to(email);
      expect(mail).toMatchObject({ from: 'hello@countersign.example', subject: 'Sign in to Ledger & Sons' });
      expect(mail?.headers).toMatchObject({
        from: 'Ledger <hello@countersign.example>',
        'reply-to': 'help@ledger.example',
        to: email,
        'auto-submitted': 'auto-generated',
      });
      const bundle = bundleIn(mail?.text ?? '');
      expect(mail?.text).toContain(`https://app.example.com/auth?a=1&bundle=${bundle}`);
      expect(mail?.html).toContain(`href="https://app.example.com/auth?a=1&amp;bundle=${bundle}"`);
      expect(mail?.html).toContain('src="https://static.example.com/logo.png?a=1&amp;b=2"');
      expect(mail?.html).toContain('Ledger &amp; Sons');
    });

    test('D330: a request with an option that the mail cannot have is rejected with its name, and mails nothing', async () => {
      const { email } = await createReachable(root());
      const target = { targetPublicKey: newTarget().hex };
      const unusable = {
        logoUrl: ['http://static.example.com/logo.png', 'logo.png', 'javascript:alert(1)'],
        magicLinkTemplate: ['https://app.example.com/auth', 'javascript:alert("%s")', '%s'],
        templateId: ['none-such', '../welcome'],
        templateVariables: ['[]', '{"name":1}', '{"name":"without a template"}'],
      };
      const rejects = async (look: object, field: string) => {
        const emailCustomization = { appName: 'Ledger', ...look };
        const expected = { status: 400, code: 'REQUEST_INVALID', fields: [field] };
        for (const name of ['emailAuth', 'initUserEmailRecovery'] as const)
          expect(errorOf(await root().submit(name, { email, ...target, emailCustomization }))).toEqual(expected);
        const code = { otpType: 'OTP_TYPE_EMAIL', contact: email, emailCustomization };
        for (const name of ['initOtp', 'initOtpAuth'] as const)
          expect(errorOf(await root().submit(name, code))).toEqual(expected);
      };
      for (const [option, values] of Object.entries(unusable))
        for (const value of values) await rejects({ [option]: value }, `emailCustomization.${option}`);
      const emailCustomization = { templateId: 'welcome', templateVariables: '{"name":"Ada"}' };
      await root().result('emailAuth', { email, ...target, emailCustomization });
      const mails = await inbox.to(email);
      expect(mails.map(({ subject, text }) => [subject, text.slice(0, 3)])).toEqual([['Welcome to Countersign', 'Ada']]);
    });

    test('without customization a mail names the operator and loads nothing from the network', async () => {
      const { email } = await createReachable(root());
      await root().result('emailAuth', { email, targetPublicKey: newTarget().hex });
      const [mail] = await inbox.to(email);
      expect(mail).toMatchObject({ from: 'no-reply@countersign.example', subject: 'Sign in to Countersign' });
      expect(mail?.headers.from).toBe('Countersign <no-reply@countersign.example>');
      expect(mail?.html).not.toMatch(/https?:|url\(|<img|<script|<link/i);
      expect(mail?.html).toContain(bundleIn(mail?.text ?? ''));
    });

    test('ACTIVITY_TYPE_EMAIL_AUTH_V2 is refused with a sender that the operator does not allow', async () => {
      const { email } = await createReachable(root());
      for (const sendFromEmailAddress of ['ceo@bank.example', 'x@evil-countersign.example', 'x@sub.countersign.example']) {
        const answer = await root().submit('emailAuth', { email, targetPublicKey: newTarget().hex, sendFromEmailAddress });
        expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['sendFromEmailAddress'] });
      }
    });

    test('D05: repeating the body returns the same activity, and no second mail or key', async () => {
      const { email, userId } = await createReachable(root());
      const body = root().submitBody('emailAuth', { email, targetPublicKey: newTarget().hex });
      const path = root().submitPath('emailAuth');
      const [first, second] = await Promise.all([root().send(path, body), root().send(path, body)]);
      const third = await root().send(path, body);
      expect([second?.body, third.body]).toEqual([first?.body, first?.body]);
      await inbox.to(email);
      await until('nothing waits', async () => (await outboxRows(subject().raw, root().organizationId)).length === 0);
      expect(inbox.mails.filter(({ to }) => to === email)).toHaveLength(1);
      expect(typesOf(await keysOf(root(), userId)).filter((type) => type === TYPE)).toHaveLength(1);
    });

    test('the bundle and the address are only in the mail', async () => {
      const { service, raw } = subject();
      const { backend, own, email, organizationId } = await createCustomer(root());
      const before = service.logText().length;
      const answer = await backend.submit('emailAuth', { email, targetPublicKey: newTarget().hex });
      const [mail] = await inbox.to(email);
      const bundle = bundleIn(mail?.text ?? '');
      const { activities } = await own.data('listActivities', { paginationOptions: { limit: '100' } });
      await until('the message is gone', async () => (await outboxRows(raw, organizationId)).length === 0);
      for (const place of [answer.body, activities, service.logText().slice(before)]) {
        expect(JSON.stringify(place)).not.toContain(bundle);
      }
      expect(service.logText().slice(before)).not.toContain(email);
      expect((await raw.dump()).includes(bundle)).toBe(false);
    });

    test('D30: callers without permission get one answer for known and unknown addresses', async () => {
      const { email } = await createReachable(root());
      const { caller: powerless } = await createMember(root());
      const { caller: stranger } = await createSubOrganization(root());
      const unknown = newAddress();
      const { raw } = subject();
      const ask = async (caller: typeof powerless, address: string) => {
        const { status, body } = await caller.submit('emailAuth', { email: address, targetPublicKey: newTarget().hex });
        return { status, code: body.errorCode, message: body.message };
      };
      expect(await ask(powerless, email)).toEqual(await ask(powerless, unknown));
      expect(await ask(powerless, email)).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
      const foreign = stranger.with({ organizationId: root().organizationId });
      expect(await ask(foreign, email)).toEqual(await ask(foreign, unknown));
      expect(await ask(foreign, email)).toMatchObject({ status: 401 });
      expect(inbox.mails.filter(({ to }) => to === email)).toEqual([]);
      // Callers with permission may also list the users, so they get a plain answer.
      const before = await countRows(raw);
      const answer = await root().submit('emailAuth', { email: unknown, targetPublicKey: newTarget().hex });
      expect(errorOf(answer)).toEqual({ status: 404, code: 'NOT_FOUND', fields: ['email'] });
      expect(await countRows(raw)).toEqual(before);
    });

    test('an address that two users share signs in neither', async () => {
      const { email } = await createReachable(root());
      await root().result('createUsers', { users: [{ ...userParams(newApiKey()), userEmail: email.toUpperCase() }] });
      const answer = await root().submit('emailAuth', { email, targetPublicKey: newTarget().hex });
      expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['email'] });
    });

    test('the case of an address does not matter', async () => {
      const { email, userId } = await createReachable(root());
      const result = await root().result('emailAuth', { email: email.toUpperCase(), targetPublicKey: newTarget().hex });
      expect(result.userId).toBe(userId);
      // The mail goes to the user's stored address, not to the spelling in the request.
      expect(await inbox.to(email)).toHaveLength(1);
    });

    describe('D32: expirationSeconds and invalidateExisting', () => {
      test.each(['0', '-1', '1.5', '1e20', '', ' 60', '0x10', '99999999999'])('%j is refused', async (expirationSeconds) => {
        const { email } = await createReachable(root());
        const answer = await root().submit('emailAuth', { email, targetPublicKey: newTarget().hex, expirationSeconds });
        expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['expirationSeconds'] });
      });

      test('the key lives as long as requested', async () => {
        const { service } = subject();
        const { email } = await createReachable(root());
        const target = newTarget();
        await root().result('emailAuth', { email, targetPublicKey: target.hex, expirationSeconds: '120' });
        const key = keyFrom(bundleIn((await inbox.to(email))[0]?.text ?? ''), target);
        expect((await root().with({ key }).query('whoami')).status).toBe(200);
        service.setAheadMs(2 * MINUTES);
        expect(errorOf(await root().with({ key }).query('whoami'))).toEqual({ status: 401, code: 'API_KEY_EXPIRED' });
        service.setAheadMs(0);
      });

      test('only the user’s own keys of this kind end, once the new one is used', async () => {
        const [mine, other] = [await createReachable(root()), await createReachable(root())];
        for (const { email } of [mine, mine, other])
          await root().result('emailAuth', { email, targetPublicKey: newTarget().hex });
        await root().with({ key: mine.key }).result('stampLogin', { publicKey: newApiKey().publicKey });
        await inbox.to(mine.email, 2);
        const target = newTarget();
        await root().result('emailAuth', { email: mine.email, targetPublicKey: target.hex, invalidateExisting: true });
        const bundle = bundleIn((await inbox.to(mine.email, 3)).at(-1)?.text ?? '');
        await root()
          .with({ key: keyFrom(bundle, target) })
          .data('whoami');
        expect(typesOf(await keysOf(root(), mine.userId))).toEqual(
          ['CREDENTIAL_TYPE_API_KEY_P256', TYPE, 'CREDENTIAL_TYPE_LOGIN'].sort(),
        );
        expect(typesOf(await keysOf(root(), other.userId))).toEqual(['CREDENTIAL_TYPE_API_KEY_P256', TYPE]);
      });
    });

    test('an organization that turned it off refuses it, also for its parent', async () => {
      const { backend, own, email } = await createCustomer(root(), { disableEmailAuth: true });
      for (const caller of [backend, own]) {
        const answer = await caller.submit('emailAuth', { email, targetPublicKey: newTarget().hex });
        expect(errorOf(answer)).toMatchObject({ status: 400, code: 'PRECONDITION_FAILED' });
      }
      await own.result('setOrganizationFeature', { name: 'FEATURE_NAME_EMAIL_AUTH', value: '' });
      await backend.result('emailAuth', { email, targetPublicKey: newTarget().hex });
    });

    test('a policy of the parent lets a backend user do it in sub-organizations, and nothing else there', async () => {
      const { organizationId, email, userId } = await createCustomer(root());
      const { caller: member, userId: memberId } = await createMember(root());
      const backend = member.with({ organizationId });
      const params = () => ({ email, targetPublicKey: newTarget().hex });
      expect(errorOf(await backend.submit('emailAuth', params()))).toMatchObject({ status: 403 });
      await root().result('createPolicy', {
        policyName: `Backend ${memberId}`,
        effect: 'EFFECT_ALLOW',
        condition: "activity.type == 'ACTIVITY_TYPE_EMAIL_AUTH_V2'",
        consensus: `approvers.any(user, user.id == '${memberId}')`,
        notes: '',
      });
      expect(await backend.result('emailAuth', params())).toMatchObject({ userId });
      const users = await backend.submit('createUsers', { users: [userParams(newApiKey())] });
      expect(errorOf(users)).toEqual({ status: 400, code: 'ORGANIZATION_MISMATCH' });
    });
  },
  { config: { ...mailSettings(inbox), mailTemplateDir } },
);
