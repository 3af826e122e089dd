import { createHash } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { afterAll, describe, expect, test } from 'vitest';
import { type ApiKey, newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { createSubOrganization, errorOf } from '../../support/world.ts';
import { createCustomer, createReachable, mailSettings, newAddress } from './mail-support.ts';
import { claimsOf, clientSignature, loginStatement, newestCode, wrong } from './otp-support.ts';
import { keysOf, MINUTES } from './sessions-support.ts';
import { startInbox } from './smtp-inbox.ts';
import { publishedKeys } from './transfer-support.ts';

const inbox = await startInbox();
afterAll(() => inbox.stop());

const badToken = { status: 400, code: 'VERIFICATION_TOKEN_INVALID', fields: ['verificationToken'] };
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const loginSignature = (key: ApiKey, tokenId: string, sessionKey: string, form?: 'raw' | 'der') =>
  clientSignature(key, loginStatement(tokenId, sessionKey), form);

describeEngines(
  'verification tokens',
  (subject) => {
    const root = () => subject().service.root;

    async function verified(caller: Caller, contact: string, more: object = {}): Promise<string> {
      const before = inbox.mails.filter(({ to }) => to === contact).length;
      const { otpId } = await caller.result('initOtp', { otpType: 'OTP_TYPE_EMAIL', contact });
      const otpCode = await newestCode(inbox, contact, before + 1);
      return (await caller.result('verifyOtp', { otpId, otpCode, ...more })).verificationToken;
    }

    const login = (caller: Caller, verificationToken: string, key = newApiKey(), more: object = {}) =>
      caller.submit('otpLogin', { verificationToken, publicKey: key.publicKey, ...more });

    test('a code proves a contact, and the token logs its user in to a sub-organization', async () => {
      const { backend, own, email, userId, organizationId } = await createCustomer(root());
      const token = await verified(root(), email);
      const key = newApiKey();
      const answer = await login(backend, token, key);
      const { session } = answer.body.activity.result.activity.result.otpLoginResult;
      expect(claimsOf(session)).toEqual({
        exp: expect.any(Number),
        public_key: key.publicKey,
        session_type: 'SESSION_TYPE_READ_WRITE',
        user_id: userId,
        organization_id: organizationId,
      });
      expect(await own.with({ key }).data('whoami')).toMatchObject({ userId });
      expect(await keysOf(own, userId)).toContainEqual(
        expect.objectContaining({
          credential: expect.objectContaining({ type: 'CREDENTIAL_TYPE_LOGIN' }),
          expirationSeconds: '900',
        }),
      );
    });

    test('the token is an ES256 JWT with string claims, signed by the published key', async () => {
      const contact = newAddress();
      const bound = newApiKey();
      const token = await verified(root(), contact, { publicKey: bound.publicKey, expirationSeconds: '60' });
      const [header, payload, signature] = token.split('.') as [string, string, string];
      expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ typ: 'JWT', alg: 'ES256' });
      const claims = claimsOf(token);
      expect(claims).toEqual({
        id: expect.any(String),
        verification_type: 'OTP_TYPE_EMAIL',
        contact,
        organization_id: root().organizationId,
        public_key: bound.publicKey,
        exp: expect.stringMatching(/^\d{13}$/),
      });
      expect(Number(claims.exp)).toBeGreaterThan(Date.now() + 50_000);
      expect(Number(claims.exp)).toBeLessThan(Date.now() + 61_000);
      const { verificationTokenSigner } = await publishedKeys(root().url);
      const digest = createHash('sha256').update(`${header}.${payload}`).digest();
      const key = Buffer.from(verificationTokenSigner as string, 'hex');
      expect(p256.verify(Buffer.from(signature, 'base64url'), digest, key, { prehash: false, lowS: false })).toBe(true);
    });

    test('the token is shown once and stored nowhere', async () => {
      const { service, raw } = subject();
      const contact = newAddress();
      const { otpId } = await root().result('initOtp', { otpType: 'OTP_TYPE_EMAIL', contact });
      const body = root().submitBody('verifyOtp', { otpId, otpCode: await newestCode(inbox, contact) });
      const first = await root().send(root().submitPath('verifyOtp'), body);
      const { verificationToken: token } = first.body.activity.result.activity.result.verifyOtpResult;
      expect(token.length).toBeGreaterThan(100);
      const second = await root().send(root().submitPath('verifyOtp'), body);
      expect(second.body.activity.result.activity.result.verifyOtpResult).toEqual({ verificationToken: '' });
      expect((await raw.dump()).includes(token)).toBe(false);
      expect(service.logText()).not.toContain(token);
    });

    test('a token logs in once', async () => {
      const { backend, own, email, userId } = await createCustomer(root());
      const token = await verified(root(), email);
      const answers = await Promise.all([login(backend, token), login(backend, token), login(backend, token)]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status !== 200).map(errorOf)).toEqual([badToken, badToken]);
      expect(await keysOf(own, userId)).toHaveLength(2);
    });

    test('a token of the parent works in its sub-organizations; a token of a sub-organization works nowhere else', async () => {
      const [first, second] = [await createCustomer(root()), await createCustomer(root())];
      const own = await verified(first.own, first.email);
      expect((await login(first.own, own)).status).toBe(200);
      const mine = await verified(first.own, second.email);
      expect(errorOf(await login(second.backend, mine))).toEqual(badToken);
      const { caller: foreignRoot } = await createSubOrganization(root());
      const foreign = await verified(foreignRoot, first.email);
      expect(errorOf(await login(first.backend, foreign))).toEqual(badToken);
      expect(errorOf(await login(root(), await verified(first.own, first.email)))).toEqual(badToken);
    });

    test('a token expires, and never signs in a user with another contact', async () => {
      const { service } = subject();
      const { backend, email } = await createCustomer(root());
      const token = await verified(root(), email, { expirationSeconds: '120' });
      service.setAheadMs(2 * MINUTES);
      expect(errorOf(await login(backend, token))).toEqual(badToken);
      service.setAheadMs(0);
      const other = await verified(root(), newAddress());
      expect(errorOf(await login(backend, other))).toEqual({ status: 404, code: 'NOT_FOUND', fields: ['verificationToken'] });
    });

    describe('a token that names a key', () => {
      test.each(['raw', 'der'] as const)('works for the key’s holder, who signs for the login (%s)', async (form) => {
        const { backend, own, email, userId } = await createCustomer(root());
        const [holder, session] = [newApiKey(), newApiKey()];
        const token = await verified(root(), email, { publicKey: holder.publicKey.toUpperCase() });
        const signature = loginSignature(holder, claimsOf(token).id, session.publicKey, form);
        expect((await login(backend, token, session, { clientSignature: signature })).status).toBe(200);
        expect(await own.with({ key: session }).data('whoami')).toMatchObject({ userId });
      });

      test('works for nobody else', async () => {
        const { raw } = subject();
        const { backend, email } = await createCustomer(root());
        const [holder, thief, session] = [newApiKey(), newApiKey(), newApiKey()];
        const token = await verified(root(), email, { publicKey: holder.publicKey });
        const { id } = claimsOf(token);
        const good = loginSignature(holder, id, session.publicKey);
        const before = await countRows(raw);
        const attempts = [
          undefined,
          loginSignature(thief, id, session.publicKey),
          { ...loginSignature(thief, id, session.publicKey), publicKey: holder.publicKey },
          loginSignature(holder, id, thief.publicKey),
          loginSignature(holder, 'another token', session.publicKey),
          { ...good, message: good.message.replace('LOGIN', 'SIGNUP') },
          { ...good, message: `${good.message} ` },
          { ...good, message: 'not JSON' },
          { ...good, signature: `${good.signature}00` },
          { ...good, signature: '00'.repeat(64) },
          { ...good, signature: '' },
        ];
        for (const attempt of attempts) {
          const more = attempt === undefined ? {} : { clientSignature: attempt };
          expect(errorOf(await login(backend, token, session, more)), JSON.stringify(attempt)).toEqual(badToken);
        }
        expect(await countRows(raw)).toEqual(before);
        expect((await login(backend, token, session, { clientSignature: good })).status).toBe(200);
      });

      test('an invalid key is refused before the code is used up', async () => {
        const contact = newAddress();
        const { otpId } = await root().result('initOtp', { otpType: 'OTP_TYPE_EMAIL', contact });
        const otpCode = await newestCode(inbox, contact);
        const answer = await root().submit('verifyOtp', { otpId, otpCode, publicKey: `02${'ff'.repeat(32)}` });
        expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['publicKey'] });
        expect((await root().submit('verifyOtp', { otpId, otpCode })).status).toBe(200);
      });
    });

    test('tokens that this service did not sign are refused', async () => {
      const { backend, email } = await createCustomer(root());
      const token = await verified(root(), email);
      const [header, payload, signature] = token.split('.') as [string, string, string];
      const claims = claimsOf(token);
      const changed = base64url({ ...claims, contact: newAddress() });
      const forged = newApiKey();
      const own = (head: string, body: string) =>
        `${head}.${body}.${p256.Signature.fromBytes(forged.sign(Buffer.from(`${head}.${body}`)), 'der').toHex('compact')}`;
      const bad = [
        `${header}.${changed}.${signature}`,
        `${base64url({ typ: 'JWT', alg: 'none' })}.${payload}.`,
        `${base64url({ alg: 'ES256', typ: 'JWT' })}.${payload}.${signature}`,
        own(header, payload),
        `${header}.${payload}`,
        `${token}.x`,
        'x',
        `${header}.${payload}.${signature.slice(0, -2)}`,
      ];
      for (const each of bad) expect(errorOf(await login(backend, each)), each).toEqual(badToken);
      expect((await login(backend, token)).status).toBe(200);
    });

    test('a wrong code gives no token, and three wrong codes lock the right one', async () => {
      const contact = newAddress();
      const { otpId } = await root().result('initOtp', { otpType: 'OTP_TYPE_EMAIL', contact, expirationSeconds: '600' });
      const code = await newestCode(inbox, contact);
      for (const otpCode of [wrong(code), wrong(code), wrong(code), code]) {
        const answer = await root().submit('verifyOtp', { otpId, otpCode });
        expect(errorOf(answer)).toEqual({ status: 400, code: 'OTP_INVALID' });
      }
    });

    test('the lifetimes of codes and tokens are limited', async () => {
      const long = await root().submit('initOtp', { otpType: 'OTP_TYPE_EMAIL', contact: newAddress(), expirationSeconds: '601' });
      expect(errorOf(long)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['expirationSeconds'] });
      const token = await root().submit('verifyOtp', { otpId: 'x', otpCode: 'AAAAAA', expirationSeconds: '86401' });
      expect(errorOf(token)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['expirationSeconds'] });
    });

    test('an address that two users share logs in neither', async () => {
      const email = newAddress();
      for (const { userId } of [await createReachable(root()), await createReachable(root())])
        await root().result('updateUser', { userId, userEmail: email });
      const answer = await login(root(), await verified(root(), email));
      expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['verificationToken'] });
    });

    test('a parent cannot request codes for a sub-organization', async () => {
      const { backend, email } = await createCustomer(root());
      const answer = await backend.submit('initOtp', { otpType: 'OTP_TYPE_EMAIL', contact: email });
      expect(errorOf(answer)).toEqual({ status: 400, code: 'ORGANIZATION_MISMATCH' });
    });
  },
  { config: mailSettings(inbox) },
);
