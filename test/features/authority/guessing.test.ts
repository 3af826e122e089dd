import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Answer, Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { type ServiceChoice, startService } from '../../support/service.ts';
import { createMember, createSubOrganization, errorOf, madeUpId } from '../../support/world.ts';
import { createPolicy, userIs } from '../policies/support.ts';
import { createCustomer, mailSettings, newAddress, outboxRows, until } from '../sign-in/mail-support.ts';
import { newestCode, wrong } from '../sign-in/otp-support.ts';
import { MINUTES } from '../sign-in/sessions-support.ts';
import { startInbox } from '../sign-in/smtp-inbox.ts';
import { newTarget } from '../sign-in/transfer-support.ts';

const inbox = await startInbox();
afterAll(() => inbox.stop());

/** The service's clock stands still unless a test moves it: waits do not depend on how fast the machine is. */
let nowMs = Date.now();
const setAheadMs = (aheadMs: number) => {
  nowMs = startedMs + aheadMs;
};
let startedMs = nowMs;
const choice: ServiceChoice = {
  config: { ...mailSettings(inbox), maxWrongCodes: 30 },
  services: () => ({ clock: { nowMs: () => nowMs } }),
};

const mistaken = { status: 400, code: 'OTP_INVALID' };
const waiting = { status: 429, code: 'RATE_LIMIT_EXCEEDED' };
const digits = { otpLength: 6, alphanumeric: false };

describeEngines(
  'guessing one-time codes',
  (subject) => {
    const root = () => subject().service.root;
    beforeEach(() => {
      startedMs = Date.now();
      setAheadMs(0);
    });

    /** Users who may ask for codes in an organization and try them, as a backend may, and nothing else. */
    async function backends(count: number): Promise<Caller[]> {
      const { caller } = await createSubOrganization(root());
      const members = await Promise.all(Array.from({ length: count }, () => createMember(caller)));
      for (const member of members)
        await createPolicy(caller, 'ALLOW', { condition: "activity.resource == 'OTP'", consensus: userIs(member) });
      return members.map((member) => member.caller);
    }
    const ask = (caller: Caller, contact: string, more: object = {}) =>
      caller.submit('initOtp', { otpType: 'OTP_TYPE_EMAIL', contact, ...more });
    const otpIdOf = ({ status, body }: Answer): string => {
      expect(status, JSON.stringify(body)).toBe(200);
      return body.activity.result.activity.result.initOtpResult.otpId;
    };
    const guess = (caller: Caller, otpId: string, otpCode = '222222222') => caller.submit('verifyOtp', { otpId, otpCode });

    /** Wrong tries, three at each code, which all count. */
    async function fail(caller: Caller, contact: string, tries: number, more: object = {}): Promise<void> {
      let otpId = '';
      for (let count = 0; count < tries; count++) {
        if (count % 3 === 0) otpId = otpIdOf(await ask(caller, contact, more));
        expect(errorOf(await guess(caller, otpId, 'alphanumeric' in more ? '222222' : undefined))).toEqual(mistaken);
      }
    }
    const signIn = async (caller: Caller, contact: string, more: object = {}) => {
      // Mails under way overtake each other.
      await until('all codes have arrived', async () => (await outboxRows(subject().raw, caller.organizationId)).length === 0);
      const before = inbox.mails.filter(({ to }) => to === contact).length;
      const otpId = otpIdOf(await ask(caller, contact, more));
      return { otpId, otpCode: await newestCode(inbox, contact, before + 1) };
    };
    const metric = async (of: string) => {
      const text = await (await fetch(`${root().url}/metrics`)).text();
      return Number(new RegExp(`countersign_guessing_alarms_total\\{of="${of}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
    };

    test('A10: a lifetime of a second is refused, one of a minute is accepted', async () => {
      const [backend] = (await backends(1)) as [Caller];
      const answer = await ask(backend, newAddress(), { expirationSeconds: '1' });
      expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['expirationSeconds'] });
      otpIdOf(await ask(backend, newAddress(), { expirationSeconds: '60' }));
    });

    test('A10: failed attempts on a contact count after their codes ended, with growing delays and an alarm', async () => {
      const { service } = subject();
      const [backend] = (await backends(1)) as [Caller];
      const contact = newAddress();
      const alarms = await metric('contact');
      await fail(backend, contact, 9, { ...digits, expirationSeconds: '60' });
      expect(await metric('contact')).toBe(alarms + 1);
      expect(service.logText()).toContain('one-time codes are being guessed');
      expect(service.logText()).not.toContain(contact);
      const first = await ask(backend, contact, digits);
      expect(errorOf(first)).toEqual(waiting);
      expect(first.body.message).toMatch(
        /^Too many wrong codes were tried for this contact\. Try again after \d{4}-.*nine letters/,
      );
      expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(0);
      // Each of these codes is over before the next one is asked for.
      const waits = [15, 30, 60, 120, 240].map((seconds) => seconds * 1000);
      let aheadMs = 0;
      for (const waitMs of waits) {
        setAheadMs(aheadMs + waitMs - 5_000);
        expect(errorOf(await ask(backend, contact, digits)), `${waitMs}`).toEqual(waiting);
        aheadMs += waitMs + 1_000;
        setAheadMs(aheadMs);
        await fail(backend, contact, 1, { ...digits, expirationSeconds: '60' });
      }
      setAheadMs(aheadMs + 6 * MINUTES);
      expect(errorOf(await ask(backend, contact, digits))).toEqual(waiting);
    });

    test('A10: the first attempt on a nine-character code is always compared, later ones are delayed', async () => {
      const [backend] = (await backends(1)) as [Caller];
      const contact = newAddress();
      await fail(backend, contact, 9);
      // Who has the code gets in, however much others have tried.
      const owner = await signIn(backend, contact);
      expect((await guess(backend, owner.otpId, owner.otpCode)).status).toBe(200);
      // Who has not has one try at each code, and a longer wait after it.
      const { otpId, otpCode } = await signIn(backend, contact);
      expect(errorOf(await guess(backend, otpId))).toEqual(mistaken);
      const refused = await guess(backend, otpId);
      expect(errorOf(refused)).toEqual(waiting);
      expect(refused.body.message).toMatch(
        /^Too many wrong codes were tried for this contact\. Try again after .* request another code\.$/,
      );
      // A refused try is none: the code is not spent by it.
      for (let count = 0; count < 3; count++) expect(errorOf(await guess(backend, otpId, otpCode))).toEqual(waiting);
      setAheadMs(31_000);
      expect((await guess(backend, otpId, otpCode)).status).toBe(200);
    });

    test('A10: an attempt by another user does not count for the requester', async () => {
      const [attacker, backend] = (await backends(2)) as [Caller, Caller];
      const contact = newAddress();
      const owner = { ...digits, userIdentifier: `device-${madeUpId()}` };
      const known = await signIn(backend, contact, owner);
      expect((await guess(backend, known.otpId, known.otpCode)).status).toBe(200);
      await fail(attacker, contact, 9, digits);
      // The owner's code is no way around the wait for somebody else who learnt its id.
      const { otpId, otpCode } = await signIn(backend, contact, owner);
      expect(errorOf(await guess(attacker, otpId, '222222'))).toEqual(waiting);
      expect((await guess(backend, otpId, otpCode)).status).toBe(200);
    });

    test('A10: counts continue on another node and after a restart', async () => {
      const [backend] = (await backends(1)) as [Caller];
      const contact = newAddress();
      await fail(backend, contact, 9, digits);
      const other = await startService(subject().installation, choice);
      expect(errorOf(await ask(backend.with({ url: other.url }), contact, digits))).toEqual(waiting);
      await other.close();
    });

    test('A10: requesting codes for a known address does not block its owner', async () => {
      const [attacker, backend] = (await backends(2)) as [Caller, Caller];
      const contact = newAddress();
      const { otpId, otpCode } = await signIn(backend, contact);
      for (let count = 0; count < 10; count++) otpIdOf(await ask(attacker, contact));
      const refused = await ask(attacker, contact);
      expect(errorOf(refused)).toEqual({ status: 429, code: 'OTP_LIMIT_EXCEEDED' });
      expect(refused.body.message).toMatch(/^Max number of OTPs have been initiated: .* Try again after \d{4}-/);
      // The code that was under way is still good, and the owner gets another.
      expect((await guess(backend, otpId, otpCode)).status).toBe(200);
      const second = await signIn(backend, contact);
      expect((await guess(backend, second.otpId, second.otpCode)).status).toBe(200);
    });

    test('A10: three requests do not lock out other users of the same backend', async () => {
      const [backend] = (await backends(1)) as [Caller];
      const contact = newAddress();
      for (let count = 0; count < 3; count++) otpIdOf(await ask(backend, contact, { userIdentifier: 'attacker' }));
      expect(errorOf(await ask(backend, contact, { userIdentifier: 'attacker' }))).toMatchObject({ status: 429 });
      const { otpId, otpCode } = await signIn(backend, contact, { userIdentifier: 'owner' });
      expect((await guess(backend, otpId, otpCode)).status).toBe(200);
    });

    test('A10: failed attempts lock out the requester, not the owner with a known device', async () => {
      const [backend] = (await backends(1)) as [Caller];
      const contact = newAddress();
      const owner = { ...digits, userIdentifier: `device-${madeUpId()}` };
      const before = await signIn(backend, contact, owner);
      expect((await guess(backend, before.otpId, before.otpCode)).status).toBe(200);
      for (const attacker of ['a', 'b', 'c']) await fail(backend, contact, 3, { ...digits, userIdentifier: attacker });
      // A stranger waits for short codes, and gets a long one.
      expect(errorOf(await ask(backend, contact, digits))).toEqual(waiting);
      expect(errorOf(await ask(backend, contact, { ...digits, userIdentifier: 'stranger' }))).toEqual(waiting);
      otpIdOf(await ask(backend, contact, { userIdentifier: 'stranger' }));
      // The owner does not wait.
      const { otpId, otpCode } = await signIn(backend, contact, owner);
      expect((await guess(backend, otpId, otpCode)).status).toBe(200);
      // Neither do the attackers' contacts: what they did is counted against them, wherever they go on.
      await fail(backend, newAddress(), 3, { ...digits, userIdentifier: 'd' });
      setAheadMs(4 * MINUTES);
      await fail(backend, newAddress(), 3, { ...digits, userIdentifier: 'd' });
      setAheadMs(8 * MINUTES);
      await fail(backend, newAddress(), 3, { ...digits, userIdentifier: 'd' });
      const elsewhere = await ask(backend, newAddress(), { ...digits, userIdentifier: 'd' });
      expect(errorOf(elsewhere)).toEqual(waiting);
      expect(elsewhere.body.message).toMatch(/^This requester has tried too many wrong codes/);
    });

    test('A10: one user is limited to a daily number of short codes across all contacts', async () => {
      const [attacker, backend] = (await backends(2)) as [Caller, Caller];
      const contacts = Array.from({ length: 10 }, newAddress);
      for (const contact of contacts) await fail(attacker, contact, 3, digits);
      const refused = await ask(attacker, newAddress(), digits);
      expect(errorOf(refused)).toEqual(waiting);
      expect(refused.body.message).toContain('30 wrong short codes today (maxWrongCodes)');
      otpIdOf(await ask(attacker, newAddress()));
      // Others are not concerned, and tomorrow is another day.
      await fail(backend, contacts[0] as string, 1, digits);
      setAheadMs(24 * 60 * MINUTES);
      const timestampMs = String(nowMs);
      const params = { otpType: 'OTP_TYPE_EMAIL', contact: newAddress(), ...digits };
      expect((await attacker.submit('initOtp', params, { timestampMs })).status).toBe(200);
    });

    test('A10: a user who mistypes codes and then succeeds is never delayed', async () => {
      const { backend, email } = await createCustomer(root());
      for (let count = 0; count < 6; count++) {
        const before = inbox.mails.filter(({ to }) => to === email).length;
        const params = { otpType: 'OTP_TYPE_EMAIL', contact: email, ...digits };
        const { otpId } = await backend.result('initOtpAuth', params);
        const code = await newestCode(inbox, email, before + 1);
        const type = (otpCode: string) => backend.submit('otpAuth', { otpId, otpCode, targetPublicKey: newTarget().hex });
        expect(errorOf(await type(wrong(code)))).toEqual(mistaken);
        expect(errorOf(await type(wrong(code)))).toEqual(mistaken);
        expect((await type(code)).status).toBe(200);
      }
    });

    test('A10: counters reveal no contact and expire', async () => {
      const { raw } = subject();
      const [backend] = (await backends(1)) as [Caller];
      const contact = newAddress();
      const userIdentifier = `device-${madeUpId()}`;
      await fail(backend, contact, 2, { userIdentifier });
      const tries = async () =>
        raw.all("SELECT id, body FROM records WHERE organization_id = ? AND kind = 'wrongTries'", backend.organizationId);
      expect(await tries()).toHaveLength(2);
      expect(JSON.stringify(await tries())).not.toMatch(new RegExp(`${contact}|${userIdentifier}`));
      const aheadMs = 3 * 24 * 60 * MINUTES;
      setAheadMs(aheadMs);
      const timestampMs = String(nowMs);
      const params = { otpType: 'OTP_TYPE_EMAIL', contact: newAddress() };
      expect((await backend.submit('initOtp', params, { timestampMs })).status).toBe(200);
      expect(await tries()).toEqual([]);
    });
  },
  choice,
);
