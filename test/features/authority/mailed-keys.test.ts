import { afterAll, afterEach, expect, test } from 'vitest';
import { parseMessage } from '../../../packages/server/src/notify/mail/message.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, errorOf, uniqueName } from '../../support/world.ts';
import {
  bundleIn,
  type Customer,
  createCustomer,
  keyFrom,
  mailSettings,
  newAddress,
  outboxRows,
  until,
} from '../sign-in/mail-support.ts';
import { keysOf, login, typesOf } from '../sign-in/sessions-support.ts';
import { startInbox } from '../sign-in/smtp-inbox.ts';
import { newTarget, type Target } from '../sign-in/transfer-support.ts';

const inbox = await startInbox();
afterAll(() => inbox.stop());
afterEach(() => inbox.refuse(() => undefined));

const MAILED = 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256';

describeEngines(
  'mailed keys',
  (subject) => {
    const root = () => subject().service.root;

    /** Asks for a key by mail, as everybody may who knows the address, through the backend. */
    const ask = ({ backend, email }: Customer, target: Target, more: object = {}) =>
      backend.result('emailAuth', { email, targetPublicKey: target.hex, ...more });

    /** Asks, reads the mail and gives a caller with the key from it, not used yet. */
    async function mailed(customer: Customer, more: object = {}): Promise<Caller> {
      const { own, email, organizationId } = customer;
      const target = newTarget();
      await until('no mail is under way', async () => (await outboxRows(subject().raw, organizationId)).length === 0);
      const before = inbox.mails.filter(({ to }) => to === email).length;
      await ask(customer, target, more);
      const mail = (await inbox.to(email, before + 1)).at(-1);
      return own.with({ key: keyFrom(bundleIn(mail?.text ?? ''), target) });
    }
    const works = async (caller: Caller) => (await caller.query('whoami')).status === 200;
    const mailedKeys = async ({ own, userId }: Customer) =>
      typesOf(await keysOf(own, userId)).filter((type) => type === MAILED).length;

    test('A12: unused mailed keys evict no session, no API key and no used mailed key', async () => {
      const customer = await createCustomer(root());
      const { own, userId } = customer;
      const yearKey = newApiKey();
      const year = apiKeyParams(yearKey, { expirationSeconds: String(365 * 86_400) });
      await own.result('createApiKeys', { userId, apiKeys: [year] });
      const opened = await mailed(customer);
      expect(await works(opened)).toBe(true);
      const alive = [opened, await login(own, { expirationSeconds: '3600' }), own.with({ key: yearKey })];
      for (let count = 0; count < 5; count++) await ask(customer, newTarget(), { invalidateExisting: true });
      for (let count = 0; count < 5; count++)
        await customer.backend.result('initUserEmailRecovery', { email: customer.email, targetPublicKey: newTarget().hex });
      for (let count = 0; count < 5; count++)
        await customer.backend.result('initOtpAuth', { otpType: 'OTP_TYPE_EMAIL', contact: customer.email });
      for (const caller of alive) expect(await works(caller)).toBe(true);
      // The opened one, and as many unopened ones as a user may have.
      expect(await mailedKeys(customer)).toBe(1 + 3);
    });

    test('A12: the newest unused keys remain', async () => {
      const customer = await createCustomer(root());
      const keys: Caller[] = [];
      for (let count = 0; count < 4; count++) keys.push(await mailed(customer));
      expect(errorOf(await (keys[0] as Caller).query('whoami'))).toMatchObject({ status: 401 });
      for (const key of keys.slice(1)) expect(await works(key)).toBe(true);
    });

    test('A12: the first use evicts the oldest key of the same type', async () => {
      const customer = await createCustomer(root());
      const { own, userId } = customer;
      const session = await login(own, { expirationSeconds: '3600' });
      const keys: Caller[] = [];
      for (let count = 0; count < 4; count++) {
        keys.push(await mailed(customer));
        expect(await works(keys[count] as Caller)).toBe(true);
      }
      expect(await works(keys[0] as Caller)).toBe(false);
      for (const caller of [...keys.slice(1), session, own]) expect(await works(caller)).toBe(true);
      expect(typesOf(await keysOf(own, userId))).toEqual(
        ['CREDENTIAL_TYPE_API_KEY_P256', 'CREDENTIAL_TYPE_LOGIN', MAILED, MAILED, MAILED].sort(),
      );
    });

    test('A12: invalidateExisting applies at the first use, even if that is an activity', async () => {
      const customer = await createCustomer(root());
      const [first, second] = [await mailed(customer), await mailed(customer)];
      expect(await works(first)).toBe(true);
      const last = await mailed(customer, { invalidateExisting: true });
      expect(await works(first)).toBe(true);
      await last.result('createWallet', { walletName: uniqueName('Wallet'), accounts: [] });
      expect([await works(first), await works(second), await works(last)]).toEqual([false, false, true]);
    });

    test('A12: logins evict only logins', async () => {
      const customer = await createCustomer(root());
      const opened = await mailed(customer);
      expect(await works(opened)).toBe(true);
      const logins: Caller[] = [];
      for (let count = 0; count < 4; count++) logins.push(await login(customer.own));
      expect(await Promise.all([opened, ...logins].map(works))).toEqual([true, false, true, true, true]);
    });

    const refuseForGood = () => inbox.refuse(() => ({ code: 550, text: '5.1.1 no such mailbox' }));
    const parked = (organizationId: string) =>
      until('the message is given up', async () => (await outboxRows(subject().raw, organizationId))[0]?.state === 'parked');

    /** What the mail would have said, as the mail server may have seen it. */
    async function secretOf(organizationId: string): Promise<string> {
      const [row] = await outboxRows(subject().raw, organizationId);
      const { vault } = subject().service.services;
      const text = await vault.outbox.open(organizationId, row?.id as string, row?.ciphertext as Uint8Array);
      const message = parseMessage(text);
      return 'secret' in message ? message.secret : '';
    }

    test.each(['emailAuth', 'initUserEmailRecovery'] as const)(
      'A13: the key of %s ends with its permanently rejected mail',
      async (name) => {
        const customer = await createCustomer(root());
        const { own, userId, organizationId, email } = customer;
        const target = newTarget();
        refuseForGood();
        await customer.backend.result(name, { email, targetPublicKey: target.hex });
        await parked(organizationId);
        const stolen = own.with({ key: keyFrom(await secretOf(organizationId), target) });
        expect(errorOf(await stolen.query('whoami'))).toMatchObject({ status: 401 });
        expect(typesOf(await keysOf(own, userId))).toEqual(['CREDENTIAL_TYPE_API_KEY_P256']);
        expect(subject().service.logText()).toContain('a key or code was ended because its message was rejected');
      },
    );

    test('A13: an invitation ends with its permanently rejected mail, and the receiver can be invited again', async () => {
      const { own, userId: senderUserId, organizationId } = await createCustomer(root());
      const invite = async () => {
        const receiver = { receiverUserName: uniqueName('Invited'), receiverUserEmail: newAddress(), receiverUserTags: [] };
        const invitations = [{ ...receiver, accessType: 'ACCESS_TYPE_WEB', senderUserId }];
        return (await own.result('createInvitations', { invitations })).invitationIds[0];
      };
      refuseForGood();
      const invitationId = await invite();
      await parked(organizationId);
      const [, , invitedId, apiPrivateKey = ''] = (await secretOf(organizationId)).split('.');
      expect(await keysOf(own, invitedId as string)).toEqual([]);
      const invitation = (
        await subject().service.services.organizations.snapshots.current(organizationId)
      )?.records.invitation.get(invitationId);
      expect(invitation?.status).toBe('INVITATION_STATUS_REVOKED');
      expect(apiPrivateKey).toMatch(/^[0-9a-f]{64}$/);
      inbox.refuse(() => undefined);
      await invite();
    });

    /** A customer with a key from an opened mail, one from an unopened mail, and a recovery under way. */
    async function withMails() {
      const customer = await createCustomer(root());
      const { own, userId, email } = customer;
      const used = await mailed(customer);
      expect((await used.query('whoami')).status).toBe(200);
      const unopened = await mailed(customer);
      await customer.backend.result('initUserEmailRecovery', { email, targetPublicKey: newTarget().hex });
      return { own, userId, email, used, unopened };
    }

    test.each([
      ['updateUserEmail', newAddress()],
      ['updateUserEmail', ''],
      ['updateUser', newAddress()],
    ] as const)('A13: %s to "%s" ends unused keys that were mailed to the old address', async (name, userEmail) => {
      const { own, userId, used, unopened } = await withMails();
      await own.result(name, { userId, userEmail });
      expect(errorOf(await unopened.query('whoami'))).toMatchObject({ status: 401 });
      expect(typesOf(await keysOf(own, userId))).toEqual(['CREDENTIAL_TYPE_API_KEY_P256', MAILED]);
      expect((await used.query('whoami')).status).toBe(200);
    });

    test('another spelling of the same address ends nothing', async () => {
      const { own, userId, email, unopened } = await withMails();
      await own.result('updateUser', { userId, userEmail: email.toUpperCase() });
      expect(await keysOf(own, userId)).toHaveLength(4);
      expect((await unopened.query('whoami')).status).toBe(200);
    });

    test('A13: an invitation ends when the address of its receiver changes', async () => {
      const { own, userId: senderUserId } = await createCustomer(root());
      const receiver = { receiverUserName: uniqueName('Invited'), receiverUserEmail: newAddress(), receiverUserTags: [] };
      const invitations = [{ ...receiver, accessType: 'ACCESS_TYPE_WEB', senderUserId }];
      const { invitationIds } = await own.result('createInvitations', { invitations });
      const { users } = await own.data('listUsers');
      const { userId } = users.find(({ userName }: { userName: string }) => userName === receiver.receiverUserName);
      await own.result('updateUserEmail', { userId, userEmail: newAddress() });
      expect(await keysOf(own, userId)).toEqual([]);
      expect(errorOf(await own.submit('deleteInvitation', { invitationId: invitationIds[0] }))).toMatchObject({
        code: 'PRECONDITION_FAILED',
      });
    });

    test('A13: a one-time code ends with its permanently rejected mail', async () => {
      const { backend, email, organizationId } = await createCustomer(root());
      refuseForGood();
      const { otpId } = await backend.result('initOtpAuth', { otpType: 'OTP_TYPE_EMAIL', contact: email });
      await parked(organizationId);
      const otpCode = await secretOf(organizationId);
      const answer = await backend.submit('otpAuth', { otpId, otpCode, targetPublicKey: newTarget().hex });
      expect(errorOf(answer)).toEqual({ status: 400, code: 'OTP_INVALID' });
    });

    test('A13: a temporarily rejected mail is retried, and its key is valid', async () => {
      const customer = await createCustomer(root());
      let refusals = 0;
      inbox.refuse(() => (refusals++ < 1 ? { code: 450, text: '4.2.0 greylisted' } : undefined));
      expect(await works(await mailed(customer))).toBe(true);
      expect(refusals).toBe(2);
    });

    test('A13: a used key stays valid if a retry of its message is rejected', async () => {
      const { raw } = subject();
      const customer = await createCustomer(root());
      const { own, email, organizationId } = customer;
      const target = newTarget();
      inbox.refuse(() => ({ code: 450, text: '4.2.0 greylisted' }));
      await ask(customer, target);
      await until('an attempt has failed', async () => (await outboxRows(raw, organizationId))[0]?.fault !== '');
      const [row] = await outboxRows(raw, organizationId);
      inbox.refuse(() => undefined);
      const [mail] = await inbox.to(email);
      const opened = own.with({ key: keyFrom(bundleIn(mail?.text ?? ''), target) });
      expect(await works(opened)).toBe(true);
      await until('it is delivered', async () => (await outboxRows(raw, organizationId)).length === 0);
      // As a process leaves it that ends after the mail was sent and before that was written down.
      refuseForGood();
      const columns = ['organization_id', 'id', 'state', 'due_at_ms', 'expires_at_ms', 'attempts', 'fault', 'ciphertext'];
      const values = columns.map((column) => row?.[column] as string | number | Uint8Array);
      await raw.run(`INSERT INTO outbox (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`, ...values);
      await parked(organizationId);
      expect(await works(opened)).toBe(true);
    });
  },
  { config: { ...mailSettings(inbox), maxCredentials: 3 } },
);
