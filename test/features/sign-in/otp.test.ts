import { afterAll, describe, expect, test } from 'vitest';
import type { Answer, Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, errorOf, madeUpId } from '../../support/world.ts';
import { createCustomer, createReachable, keyFrom, mailSettings, newAddress } from './mail-support.ts';
import { newestCode, wrong } from './otp-support.ts';
import { keysOf, MINUTES } from './sessions-support.ts';
import { startInbox } from './smtp-inbox.ts';
import { newTarget } from './transfer-support.ts';

const inbox = await startInbox();
afterAll(() => inbox.stop());

const refused = { status: 400, code: 'OTP_INVALID' };
const limited = { status: 429, code: 'OTP_LIMIT_EXCEEDED' };

describeEngines(
  'one-time codes',
  (subject) => {
    const root = () => subject().service.root;
    const init = (caller: Caller, contact: string, more: object = {}) =>
      caller.submit('initOtpAuth', { otpType: 'OTP_TYPE_EMAIL', contact, ...more });
    const redeem = (caller: Caller, otpId: string, otpCode: string, target = newTarget()) =>
      caller.submit('otpAuth', { otpId, otpCode, targetPublicKey: target.hex });

    async function started(more: object = {}) {
      const customer = await createCustomer(root());
      const { otpId } = await customer.backend.result('initOtpAuth', {
        otpType: 'OTP_TYPE_EMAIL',
        contact: customer.email,
        ...more,
      });
      return { ...customer, otpId, code: await newestCode(inbox, customer.email) };
    }

    const codeRecords = async (organizationId: string) =>
      (await subject().service.services.organizations.snapshots.current(organizationId))?.records.oneTimeCode ?? new Map();

    test('ACTIVITY_TYPE_OTP_AUTH is executed: a mailed code gives a key that stamps, once', async () => {
      const { backend, own, otpId, code, userId } = await started();
      expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{9}$/);
      const target = newTarget();
      const answer = await redeem(backend, otpId, code, target);
      const { credentialBundle, apiKeyId, ...rest } = answer.body.activity.result.activity.result.otpAuthResult;
      expect(rest).toEqual({ userId });
      const key = keyFrom(credentialBundle, target);
      expect(await own.with({ key }).data('whoami')).toMatchObject({ userId });
      expect((await keysOf(own, userId)).find((each) => each.apiKeyId === apiKeyId)).toMatchObject({
        apiKeyName: expect.stringMatching(/^OTP Auth - /),
        expirationSeconds: '900',
        credential: { type: 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256' },
      });
      expect(errorOf(await redeem(backend, otpId, code))).toEqual(refused);
      expect(await keysOf(own, userId)).toHaveLength(2);
    });

    test('ACTIVITY_TYPE_INIT_OTP_AUTH is executed, ACTIVITY_TYPE_INIT_OTP_AUTH_V2 is executed, each with its own result', async () => {
      const { email } = await createReachable(root());
      const compatible = root().with({ dialect: 'turnkey' });
      const params = { otpType: 'OTP_TYPE_EMAIL', contact: email };
      const first = await compatible.submit('initOtpAuth', params, { type: 'ACTIVITY_TYPE_INIT_OTP_AUTH' });
      expect(first.body.activity.result).toEqual({ initOtpAuthResult: { otpId: expect.any(String) } });
      const second = await compatible.submit('initOtpAuth', { ...params, otpLength: 6, alphanumeric: false });
      expect(second.body.activity.result).toEqual({ initOtpAuthResultV2: { otpId: expect.any(String) } });
      const specified = await root().submit('initOtpAuth', params, { type: 'ACTIVITY_TYPE_INIT_OTP_AUTH' });
      expect(specified.status).toBe(200);
    });

    test('ACTIVITY_TYPE_INIT_OTP_AUTH is refused for an unknown kind of contact', async () => {
      const params = { otpType: 'OTP_TYPE_PIGEON', contact: newAddress() };
      const answer = await root().submit('initOtpAuth', params, { type: 'ACTIVITY_TYPE_INIT_OTP_AUTH' });
      expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['otpType'] });
    });

    test.each([6, 7, 8, 9])('a code has %i characters on request', async (otpLength) => {
      const { email } = await createReachable(root());
      await init(root(), email, { otpLength, alphanumeric: false });
      expect(await newestCode(inbox, email)).toMatch(new RegExp(`^\\d{${otpLength}}$`));
    });

    test.each([5, 10, 6.5, '6', -1])('ACTIVITY_TYPE_INIT_OTP_AUTH_V2 is refused with %j for a length', async (otpLength) => {
      const answer = await init(root(), newAddress(), { otpLength });
      expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['otpLength'] });
    });

    test('lower case and look-alike characters are read as the code’s', async () => {
      const { backend, otpId, code, userId } = await started();
      const typed = code.toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l');
      expect((await redeem(backend, otpId, typed)).body.activity.result.activity.result.otpAuthResult.userId).toBe(userId);
    });

    describe('D33: guessing a code', () => {
      test('three wrong tries lock a code permanently', async () => {
        const { backend, own, otpId, code, userId } = await started();
        for (let tries = 0; tries < 3; tries++) expect(errorOf(await redeem(backend, otpId, wrong(code)))).toEqual(refused);
        const locked = await redeem(backend, otpId, code);
        expect(errorOf(locked)).toEqual(refused);
        expect(locked.body.message).toMatch(/^Invalid OTP code/);
        expect(await keysOf(own, userId)).toHaveLength(1);
      });

      test('two wrong tries leave a third', async () => {
        const { backend, otpId, code } = await started();
        for (let tries = 0; tries < 2; tries++) await redeem(backend, otpId, wrong(code));
        expect((await redeem(backend, otpId, code)).status).toBe(200);
      });

      test('R5: concurrent wrong tries get three in total, and of concurrent right tries one succeeds', async () => {
        const { backend, otpId, code, organizationId } = await started();
        const answers = await Promise.all(Array.from({ length: 8 }, () => redeem(backend, otpId, wrong(code))));
        expect(answers.map(errorOf)).toEqual(answers.map(() => refused));
        expect((await codeRecords(organizationId)).get(otpId)?.triesLeft).toBe(0);
        expect(errorOf(await redeem(backend, otpId, code))).toEqual(refused);
        const other = await started();
        const race = await Promise.all(Array.from({ length: 6 }, () => redeem(other.backend, other.otpId, other.code)));
        expect(race.filter(({ status }) => status === 200)).toHaveLength(1);
      });

      test('spaces, other digits and other alphabets are neither a code nor a try', async () => {
        const { backend, otpId, code, organizationId } = await started({ alphanumeric: false, otpLength: 6 });
        const arabic = code.replace(/\d/g, (digit) => String.fromCharCode(0x0660 + Number(digit)));
        const wide = code.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
        const spellings = [
          ` ${code}`,
          `${code} `,
          `${code.slice(0, 3)} ${code.slice(3)}`,
          `${code}\n`,
          `${code}\u200b`,
          arabic,
          wide,
          '',
        ];
        for (const spelling of spellings) {
          const answer = await redeem(backend, otpId, spelling);
          expect(errorOf(answer), JSON.stringify(spelling)).toEqual({
            status: 400,
            code: 'REQUEST_INVALID',
            fields: ['otpCode'],
          });
        }
        expect((await codeRecords(organizationId)).get(otpId)?.triesLeft).toBe(3);
        expect((await redeem(backend, otpId, code)).status).toBe(200);
      });

      test('a repeated request is the same try', async () => {
        const { backend, otpId, code, organizationId } = await started();
        const body = backend.submitBody('otpAuth', { otpId, otpCode: wrong(code), targetPublicKey: newTarget().hex });
        for (let times = 0; times < 5; times++)
          expect(errorOf(await backend.send(backend.submitPath('otpAuth'), body))).toEqual(refused);
        expect((await codeRecords(organizationId)).get(otpId)?.triesLeft).toBe(2);
      });

      test('a wrong try is stored as a failed activity', async () => {
        const { backend, own, otpId, code } = await started();
        await redeem(backend, otpId, wrong(code));
        const { activities } = await own.data('listActivities', { filterByStatus: ['ACTIVITY_STATUS_FAILED'] });
        expect(activities).toHaveLength(1);
        expect(activities[0]).toMatchObject({ type: 'ACTIVITY_TYPE_OTP_AUTH', failure: { code: 3 } });
      });
    });

    test('ACTIVITY_TYPE_OTP_AUTH is refused with one answer for a wrong, used, expired, locked, unknown and foreign code', async () => {
      const { service } = subject();
      const answers: Answer[] = [];
      const { backend, otpId, code } = await started();
      answers.push(await redeem(backend, otpId, wrong(code)), await redeem(backend, madeUpId(), code));
      await redeem(backend, otpId, code);
      answers.push(await redeem(backend, otpId, code));
      const late = await started();
      service.setAheadMs(5 * MINUTES);
      answers.push(await redeem(late.backend, late.otpId, late.code));
      service.setAheadMs(0);
      const elsewhere = await started();
      answers.push(await redeem(backend, elsewhere.otpId, elsewhere.code));
      const { otpId: verificationId } = await root().result('initOtp', { otpType: 'OTP_TYPE_EMAIL', contact: newAddress() });
      answers.push(await redeem(root(), verificationId, 'AAAAAAAAA'));
      expect(new Set(answers.map(({ status, body }) => `${status} ${body.errorCode} ${body.message}`)).size).toBe(1);
    });

    test('a code ends when its user’s address changes', async () => {
      const { backend, own, otpId, code, userId } = await started();
      await own.result('updateUser', { userId, userEmail: newAddress() });
      expect(errorOf(await redeem(backend, otpId, code))).toEqual(refused);
      expect(await keysOf(own, userId)).toHaveLength(1);
    });

    test('one user sends ten codes within ten minutes to a contact; used and locked ones count', async () => {
      const { service } = subject();
      const { backend, own, email, otpId, code } = await started();
      expect((await redeem(backend, otpId, code)).status).toBe(200);
      const { otpId: second } = await backend.result('initOtpAuth', { otpType: 'OTP_TYPE_EMAIL', contact: email });
      for (let tries = 0; tries < 3; tries++) await redeem(backend, second, 'ZZZZZZZZZ');
      for (let count = 2; count < 10; count++) expect((await init(backend, email)).status).toBe(200);
      const eleventh = await init(backend, email.toUpperCase());
      expect(errorOf(eleventh)).toEqual(limited);
      expect(eleventh.body.message).toMatch(/^Max number of OTPs have been initiated: .* Try again after \d{4}-/);
      const compatible = await init(backend.with({ dialect: 'turnkey' }), email);
      expect(errorOf(compatible)).toEqual({ status: 429, code: 'MAX_OTP_INITIATED' });
      // Somebody else, and the same user later, is not concerned.
      expect((await init(own, email)).status).toBe(200);
      expect(await inbox.to(email, 11)).toHaveLength(11);
      service.setAheadMs(10 * MINUTES);
      expect((await init(backend, email)).status).toBe(200);
      service.setAheadMs(0);
    });

    test('a userIdentifier gets at most three codes in three minutes, for all contacts together', async () => {
      const { service } = subject();
      const userIdentifier = `device-${madeUpId()}`;
      const ask = async () => init(root(), (await createReachable(root())).email, { userIdentifier });
      const [first] = [await ask(), await ask(), await ask()];
      expect(first?.status).toBe(200);
      expect(errorOf(await ask())).toEqual(limited);
      expect((await init(root(), (await createReachable(root())).email, { userIdentifier: 'another' })).status).toBe(200);
      service.setAheadMs(3 * MINUTES);
      expect((await ask()).status).toBe(200);
      service.setAheadMs(0);
      const records = JSON.stringify([...(await codeRecords(root().organizationId))]);
      expect(records).not.toContain(userIdentifier);
      expect((await subject().raw.dump()).includes(userIdentifier)).toBe(false);
    });

    test('R5: concurrent requests for codes stay within the limit', async () => {
      const { backend, email } = await createCustomer(root());
      const answers = await Promise.all(Array.from({ length: 13 }, () => init(backend, email)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(3);
    });

    test('ended codes are deleted', async () => {
      const { service } = subject();
      const { backend, email, organizationId } = await createCustomer(root());
      for (let times = 0; times < 3; times++) await init(backend, email);
      expect((await codeRecords(organizationId)).size).toBe(3);
      service.setAheadMs(10 * MINUTES);
      expect((await init(backend, email)).status).toBe(200);
      service.setAheadMs(0);
      expect((await codeRecords(organizationId)).size).toBe(1);
    });

    test('the code is only in the mail: not in the answer, the log or the database', async () => {
      const { service, raw } = subject();
      const { code, organizationId } = await started();
      expect(service.logText()).not.toContain(code);
      expect((await raw.dump()).includes(code)).toBe(false);
      expect(JSON.stringify([...(await codeRecords(organizationId))])).not.toContain(code);
      const [mail] = inbox.mails.filter(({ text }) => text.includes(code));
      expect(mail?.subject).not.toContain(code);
    });

    test('D30: callers without permission get one answer for known and unknown contacts', async () => {
      const { email } = await createReachable(root());
      const { caller } = await createMember(root());
      const answers = [await init(caller, email), await init(caller, newAddress())];
      expect(answers.map(({ status, body }) => [status, body.message])).toEqual([
        [403, expect.any(String)],
        [403, answers[0]?.body.message],
      ]);
      expect(errorOf(await init(root(), newAddress()))).toEqual({ status: 404, code: 'NOT_FOUND', fields: ['contact'] });
    });

    test('a contact must fit its type', async () => {
      for (const [otpType, contact] of [
        ['OTP_TYPE_EMAIL', '+15555550100'],
        ['OTP_TYPE_SMS', 'someone@example.com'],
        ['OTP_TYPE_EMAIL', 'a@b@c'],
        ['OTP_TYPE_SMS', '0155555'],
      ]) {
        const answer = await root().submit('initOtpAuth', { otpType, contact });
        expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['contact'] });
      }
    });

    test('an organization that turned codes by e-mail off refuses them', async () => {
      const { backend, email } = await createCustomer(root(), { disableOtpEmailAuth: true });
      expect(errorOf(await init(backend, email))).toMatchObject({ status: 400, code: 'PRECONDITION_FAILED' });
    });
  },
  { config: mailSettings(inbox) },
);
