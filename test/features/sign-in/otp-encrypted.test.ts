import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Answer, Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { startService, type TestService } from '../../support/service.ts';
import { errorOf, madeUpId } from '../../support/world.ts';
import { createCustomer, mailSettings, newAddress, until } from './mail-support.ts';
import {
  askEncrypted,
  boundToken,
  claimsOf,
  clientSignature,
  loginStatement,
  newestCode,
  sealBundle,
  verifyV2,
  wrong,
} from './otp-support.ts';
import { MINUTES } from './sessions-support.ts';
import { startInbox } from './smtp-inbox.ts';
import { newTarget } from './transfer-support.ts';

const inbox = await startInbox();
afterAll(() => inbox.stop());

const refused = { status: 400, code: 'OTP_INVALID' };
const unreadable = { status: 400, code: 'BUNDLE_INVALID' };
const otpType = 'OTP_TYPE_EMAIL';

describeEngines(
  'encrypted one-time codes',
  (subject) => {
    const root = () => subject().service.root;
    const ask = (contact = newAddress(), more: object = {}) => askEncrypted(root(), inbox, contact, more);
    const verify = (otpId: string, encryptedOtpBundle: string, caller = root(), more: object = {}) =>
      caller.submit('verifyOtp', { otpId, encryptedOtpBundle, ...more }, verifyV2);
    const records = async () =>
      (await subject().service.services.organizations.snapshots.current(root().organizationId))?.records.oneTimeCode ?? new Map();
    const triesLeft = async (otpId: string) => (await records()).get(otpId)?.triesLeft;

    describe.each(['spec', 'turnkey'] as const)('in the dialect %s', (dialect) => {
      const own = (answer: Answer) => {
        const { intent, result } = answer.body.activity.result.activity ?? answer.body.activity;
        return { intent, result };
      };

      test('ACTIVITY_TYPE_INIT_OTP_V3 is executed, ACTIVITY_TYPE_VERIFY_OTP_V2 is executed: the token is bound to the key in the bundle', async () => {
        const caller = root().with({ dialect });
        const contact = newAddress();
        const { otpId, code, bundle, target } = await askEncrypted(caller, inbox, contact);
        expect(target).toEqual({
          targetPublic: expect.stringMatching(/^04[0-9a-f]{128}$/),
          organizationId: root().organizationId,
          otpId,
        });
        const key = newApiKey();
        const params = { otpId, encryptedOtpBundle: bundle(code, key.publicKey.toUpperCase()), expirationSeconds: '60' };
        const answer = await caller.submit('verifyOtp', params, verifyV2);
        const { intent, result } = own(answer);
        expect(intent).toEqual({ [dialect === 'spec' ? 'verifyOtpIntent' : 'verifyOtpIntentV2']: params });
        const claims = claimsOf(result.verifyOtpResult.verificationToken);
        expect(claims).toEqual({
          id: expect.any(String),
          verification_type: otpType,
          contact,
          organization_id: root().organizationId,
          public_key: key.publicKey,
          exp: expect.stringMatching(/^\d{13}$/),
        });
        expect(Number(claims.exp)).toBeLessThan(Date.now() + 61_000);
      });

      test('ACTIVITY_TYPE_INIT_OTP_V2 is executed: a code to send back in clear, in a mail with the name of the application', async () => {
        const caller = root().with({ dialect });
        const contact = newAddress();
        const params = {
          otpType,
          contact,
          appName: 'Nimbus Wallet',
          emailCustomization: { logoUrl: 'https://cdn.example/a.png' },
        };
        const answer = await caller.submit('initOtp', params, { type: 'ACTIVITY_TYPE_INIT_OTP_V2' });
        const { result } = own(answer);
        expect(result).toEqual({ initOtpResult: { otpId: expect.any(String) } });
        const [mail] = await inbox.to(contact);
        expect(mail?.text).toContain('Nimbus Wallet');
        const { otpId } = result.initOtpResult;
        const otpCode = await newestCode(inbox, contact);
        expect((await caller.submit('verifyOtp', { otpId, otpCode })).status).toBe(200);
      });
    });

    test('the result of the third version has its own name for clients', async () => {
      const params = { otpType, contact: newAddress(), appName: 'Wallet' };
      const answer = await root().with({ dialect: 'turnkey' }).submit('initOtp', params, { type: 'ACTIVITY_TYPE_INIT_OTP_V3' });
      expect(answer.body.activity.result).toEqual({
        initOtpResultV2: { otpId: expect.any(String), otpEncryptionTargetBundle: expect.any(String) },
      });
    });

    test.each([
      ['ACTIVITY_TYPE_INIT_OTP_V2', {}, 'appName'],
      ['ACTIVITY_TYPE_INIT_OTP_V3', {}, 'appName'],
      ['ACTIVITY_TYPE_INIT_OTP_V3', { appName: 'Wallet', emailCustomization: { appName: 'x' } }, 'emailCustomization.appName'],
      ['ACTIVITY_TYPE_INIT_OTP_V3', { appName: 'Wallet', contact: 'nowhere' }, 'contact'],
      ['ACTIVITY_TYPE_INIT_OTP_V3', { appName: 'Wallet', encrypted: true }, 'encrypted'],
      ['ACTIVITY_TYPE_INIT_OTP', { encrypted: true }, 'encrypted'],
    ])('%s is refused with %j', async (type, more, field) => {
      const answer = await root().submit('initOtp', { otpType, contact: newAddress(), ...more }, { type });
      expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: [field] });
    });

    test('the whole client flow: an encrypted code, a bound token, a login signed by its key', async () => {
      const { backend, own, email, userId } = await createCustomer(root());
      const key = newApiKey();
      const verificationToken = await boundToken(root(), inbox, email, key);
      const signature = clientSignature(key, loginStatement(claimsOf(verificationToken).id, key.publicKey));
      const login = { verificationToken, publicKey: key.publicKey, clientSignature: signature };
      expect((await backend.submit('otpLogin', login)).status).toBe(200);
      expect(await own.with({ key }).data('whoami')).toMatchObject({ userId });
    });

    test('neither the code nor its target’s private half is stored in clear or logged, and the target is deleted with the code', async () => {
      const { service, raw } = subject();
      const { otpId, code, bundle } = await ask();
      expect((await records()).get(otpId)?.sealedTarget).toBeTypeOf('string');
      expect((await verify(otpId, bundle(code, newApiKey().publicKey))).status).toBe(200);
      expect((await records()).get(otpId)).toMatchObject({ used: true });
      expect((await records()).get(otpId)).not.toHaveProperty('sealedTarget');
      expect((await raw.dump()).includes(code)).toBe(false);
      expect(service.logText()).not.toContain(code);
    });

    describe('D33: guessing a code', () => {
      test('ACTIVITY_TYPE_VERIFY_OTP_V2 is refused with a wrong code; three of them lock the code and delete its target', async () => {
        const { otpId, code, bundle } = await ask();
        const key = newApiKey().publicKey;
        for (let tries = 0; tries < 3; tries++) expect(errorOf(await verify(otpId, bundle(wrong(code), key)))).toEqual(refused);
        expect(errorOf(await verify(otpId, bundle(code, key)))).toEqual(refused);
        expect((await records()).get(otpId)).not.toHaveProperty('sealedTarget');
      });

      test('two wrong tries leave a third', async () => {
        const { otpId, code, bundle } = await ask();
        const key = newApiKey().publicKey;
        for (let tries = 0; tries < 2; tries++) await verify(otpId, bundle(wrong(code), key));
        expect((await verify(otpId, bundle(code, key))).status).toBe(200);
      });

      test('a bundle that does not open, or holds something else, does not count as a try', async () => {
        const { otpId, code, bundle, target } = await ask();
        const other = await ask();
        const key = newApiKey().publicKey;
        const good = JSON.parse(bundle(code, key));
        const sealed = (content: unknown) =>
          sealBundle(target.targetPublic as string, typeof content === 'string' ? content : JSON.stringify(content));
        const flipped = (hex: string) => `${hex.slice(0, -2)}${hex.endsWith('00') ? '01' : '00'}`;
        const bundles = {
          'to the target of another code': other.bundle(code, key),
          'to a key of nobody': sealBundle(newTarget().hex, JSON.stringify({ otp_code: code, public_key: key })),
          altered: JSON.stringify({ ...good, ciphertext: flipped(good.ciphertext) }),
          'with another ephemeral key': JSON.stringify({ ...good, encappedPublic: newTarget().hex }),
          'off the curve': JSON.stringify({ ...good, encappedPublic: `04${'11'.repeat(64)}` }),
          'not JSON': sealed(code),
          'a list': sealed([code, key]),
          'no code': sealed({ public_key: key }),
          'no key': sealed({ otp_code: code }),
          'something more': sealed({ otp_code: code, public_key: key, otp_id: otpId }),
          'a name twice': sealed(`{"otp_code":"${code}","otp_code":"${code}","public_key":"${key}"}`),
          'a code with a space': sealed({ otp_code: `${code} `, public_key: key }),
          'a code of another alphabet': sealed({ otp_code: '\uff11'.repeat(9), public_key: key }),
          'a number': sealed({ otp_code: 123456, public_key: key }),
          'a key off the curve': sealed({ otp_code: code, public_key: `02${'ff'.repeat(32)}` }),
          'an uncompressed key': sealed({ otp_code: code, public_key: newTarget().hex }),
          'a private key': sealed({ otp_code: code, public_key: '11'.repeat(32) }),
        };
        for (const [name, each] of Object.entries(bundles)) expect(errorOf(await verify(otpId, each)), name).toEqual(unreadable);
        expect(await triesLeft(otpId)).toBe(3);
        expect((await verify(otpId, JSON.stringify(good))).status).toBe(200);
      });

      test('a malformed bundle is refused, its field named, and nothing is left behind', async () => {
        const { otpId, code, bundle } = await ask();
        const good = JSON.parse(bundle(code, newApiKey().publicKey));
        // The message leaves its queue a moment after it has arrived.
        await until('the outbox is empty', async () => (await countRows(subject().raw)).outbox === 0);
        const before = await countRows(subject().raw);
        for (const each of ['x', '{}', code, JSON.stringify({ ...good, more: 1 }), JSON.stringify({ ...good, ciphertext: 'zz' })])
          expect(errorOf(await verify(otpId, each)), each).toEqual({ ...unreadable, fields: ['encryptedOtpBundle'] });
        for (const each of ['', 'x'.repeat(2049)])
          expect(errorOf(await verify(otpId, each))).toEqual({
            status: 400,
            code: 'REQUEST_INVALID',
            fields: ['encryptedOtpBundle'],
          });
        expect(await countRows(subject().raw)).toEqual(before);
        expect(await triesLeft(otpId)).toBe(3);
      });

      test('R5: concurrent wrong tries get three in total, and of concurrent right tries one succeeds', async () => {
        const [guessed, known] = [await ask(), await ask()];
        const key = newApiKey().publicKey;
        const guesses = Array.from({ length: 8 }, () => verify(guessed.otpId, guessed.bundle(wrong(guessed.code), key)));
        expect((await Promise.all(guesses)).map(errorOf)).toEqual(guesses.map(() => refused));
        expect(await triesLeft(guessed.otpId)).toBe(0);
        const race = Array.from({ length: 6 }, () => verify(known.otpId, known.bundle(known.code, key)));
        expect((await Promise.all(race)).filter(({ status }) => status === 200)).toHaveLength(1);
      });
    });

    test('a used, expired, unknown and foreign code get the same answer', async () => {
      const { service } = subject();
      const key = newApiKey().publicKey;
      const answers: Answer[] = [];
      const used = await ask();
      await verify(used.otpId, used.bundle(used.code, key));
      answers.push(await verify(used.otpId, used.bundle(used.code, key)), await verify(madeUpId(), used.bundle(used.code, key)));
      const late = await ask();
      service.setAheadMs(5 * MINUTES);
      answers.push(await verify(late.otpId, late.bundle(late.code, key)));
      service.setAheadMs(0);
      const { own } = await createCustomer(root());
      const foreign = await ask();
      answers.push(await verify(foreign.otpId, foreign.bundle(foreign.code, key), own));
      expect(answers.map(errorOf)).toEqual(answers.map(() => refused));
      expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1);
    });

    test('a code requested with a target is refused in clear, and that is not a try', async () => {
      const { otpId, code, bundle } = await ask();
      for (const otpCode of [code, wrong(code)]) {
        const answer = await root().submit('verifyOtp', { otpId, otpCode });
        expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['otpCode'] });
        expect(answer.body.message).toContain('ACTIVITY_TYPE_VERIFY_OTP_V2');
      }
      expect((await subject().raw.dump()).includes(code)).toBe(false);
      const asKey = await root().submit('otpAuth', { otpId, otpCode: code, targetPublicKey: newTarget().hex });
      expect(errorOf(asKey)).toEqual(refused);
      expect(await triesLeft(otpId)).toBe(3);
      expect((await verify(otpId, bundle(code, newApiKey().publicKey))).status).toBe(200);
    });

    test('a code requested without a target is refused when encrypted', async () => {
      const contact = newAddress();
      const { otpId } = await root().result('initOtp', { otpType, contact });
      const code = await newestCode(inbox, contact);
      const other = await ask();
      const answer = await verify(otpId, other.bundle(code, newApiKey().publicKey));
      expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['encryptedOtpBundle'] });
      expect(answer.body.message).toContain('ACTIVITY_TYPE_INIT_OTP_V3');
      expect(await triesLeft(otpId)).toBe(3);
      expect((await root().submit('verifyOtp', { otpId, otpCode: code })).status).toBe(200);
    });

    test('the limits count codes of all versions together', async () => {
      const contact = newAddress();
      for (let count = 0; count < 5; count++) {
        await ask(contact);
        expect((await root().submit('initOtp', { otpType, contact })).status).toBe(200);
      }
      const params = { otpType, contact, appName: 'Wallet' };
      const eleventh = await root().submit('initOtp', params, { type: 'ACTIVITY_TYPE_INIT_OTP_V3' });
      expect(errorOf(eleventh)).toEqual({ status: 429, code: 'OTP_LIMIT_EXCEEDED' });
    });

    describe('with two nodes', () => {
      let second: TestService;
      let there: Caller;
      beforeAll(async () => {
        second = await startService(subject().installation, { config: mailSettings(inbox) });
        there = root().with({ url: second.url });
        return () => second.close();
      });

      test('a code sent by one node is accepted by the other, once in total and without an alarm', async () => {
        const key = newApiKey().publicKey;
        const { otpId, code, bundle } = await ask();
        const race = [root(), there, root(), there].map((caller) => verify(otpId, bundle(code, key), caller));
        const answers = await Promise.all(race);
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
        expect(answers.filter(({ status }) => status !== 200).map(errorOf)).toEqual([refused, refused, refused]);
        expect([...subject().service.alarms(), ...second.alarms()]).toEqual([]);
      });

      test('wrong tries at both nodes count together', async () => {
        const key = newApiKey().publicKey;
        const { otpId, code, bundle } = await ask();
        for (const caller of [root(), there, root()])
          expect(errorOf(await verify(otpId, bundle(wrong(code), key), caller))).toEqual(refused);
        expect(errorOf(await verify(otpId, bundle(code, key), there))).toEqual(refused);
        expect([...subject().service.alarms(), ...second.alarms()]).toEqual([]);
      });
    });
  },
  { config: mailSettings(inbox) },
);
