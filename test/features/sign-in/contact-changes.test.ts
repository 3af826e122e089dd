import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { createMember, errorOf, madeUpId, subOrganizationParams, userParams } from '../../support/world.ts';
import { passkeyParams } from '../catalogue/support/passkeys.ts';
import { createCustomer, createReachable, mailSettings, newAddress, newPhoneNumber, until } from './mail-support.ts';
import { boundToken } from './otp-support.ts';
import { MINUTES } from './sessions-support.ts';
import { startInbox } from './smtp-inbox.ts';

/** A text message gateway that records messages. */
const posted: { readonly to: string; readonly text: string }[] = [];
const gateway = createServer(async (request, response) => {
  posted.push(JSON.parse(await text(request)));
  response.writeHead(202).end();
});
await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
const smsUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/messages`;
const inbox = await startInbox();
afterAll(async () => {
  gateway.close();
  await inbox.stop();
});

const badToken = { status: 400, code: 'VERIFICATION_TOKEN_INVALID', fields: ['verificationToken'] };

/** A token for a phone number. */
async function numberToken(caller: Caller, contact: string): Promise<string> {
  await caller.result('setOrganizationFeature', { name: 'FEATURE_NAME_SMS_AUTH', value: '' });
  const { otpId } = await caller.result('initOtp', { otpType: 'OTP_TYPE_SMS', contact, alphanumeric: false, otpLength: 6 });
  await until('the message came', () => posted.some(({ to }) => to === contact));
  const otpCode = /\b\d{6}\b/.exec(posted.find(({ to }) => to === contact)?.text ?? '')?.[0];
  return (await caller.result('verifyOtp', { otpId, otpCode })).verificationToken;
}

describeEngines(
  'changing a user’s contacts',
  (subject) => {
    const root = () => subject().service.root;
    const userOf = async (caller: Caller, userId: string) => (await caller.data('getUser', { userId })).user;

    describe.each(['spec', 'turnkey'] as const)('in the dialect %s', (dialect) => {
      test('ACTIVITY_TYPE_UPDATE_USER_EMAIL is executed: set, proven, and removed by an empty text', async () => {
        const caller = root().with({ dialect });
        const { userId } = await createMember(root());
        const [first, second] = [newAddress(), newAddress()];
        expect(await caller.result('updateUserEmail', { userId, userEmail: first })).toEqual({ userId });
        expect(await userOf(root(), userId)).toMatchObject({ userEmail: first });
        const verificationToken = await boundToken(root(), inbox, second, newApiKey());
        await caller.result('updateUserEmail', { userId, userEmail: second.toUpperCase(), verificationToken });
        expect(await userOf(root(), userId)).toMatchObject({ userEmail: second.toUpperCase() });
        await caller.result('updateUserEmail', { userId, userEmail: '' });
        expect(await userOf(root(), userId)).not.toHaveProperty('userEmail');
      });

      test('ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER is executed: set, proven, and removed by an empty text', async () => {
        const caller = root().with({ dialect });
        const { userId, email } = await createReachable(root());
        const number = newPhoneNumber();
        expect(await caller.result('updateUserPhoneNumber', { userId, userPhoneNumber: newPhoneNumber() })).toEqual({ userId });
        const verificationToken = await numberToken(root(), number);
        await caller.result('updateUserPhoneNumber', { userId, userPhoneNumber: number, verificationToken });
        expect(await userOf(root(), userId)).toMatchObject({ userPhoneNumber: number, userEmail: email });
        await caller.result('updateUserPhoneNumber', { userId, userPhoneNumber: '' });
        expect(await userOf(root(), userId)).not.toHaveProperty('userPhoneNumber');
        expect(await userOf(root(), userId)).toMatchObject({ userEmail: email });
      });
    });

    test('a sub-organization is found by the new address and not by the old one', async () => {
      const { own, organizationId, userId, email } = await createCustomer(root());
      const userEmail = newAddress();
      await own.result('updateUserEmail', { userId, userEmail });
      const found = async (filterValue: string) =>
        (await root().data('listSuborgs', { filterType: 'EMAIL', filterValue })).organizationIds;
      expect([await found(userEmail), await found(email)]).toEqual([[organizationId], []]);
    });

    test('a token of the parent proves a contact in its sub-organizations, once in each', async () => {
      const customer = await createCustomer(root());
      const userEmail = newAddress();
      const verificationToken = await boundToken(root(), inbox, userEmail, newApiKey());
      const change = { userId: customer.userId, userEmail, verificationToken };
      expect((await customer.own.submit('updateUserEmail', change)).status).toBe(200);
      expect(errorOf(await customer.own.submit('updateUserEmail', change))).toEqual(badToken);
    });

    test('ACTIVITY_TYPE_UPDATE_USER_EMAIL is refused with a token for something else, and nothing changes', async () => {
      const { service, raw } = subject();
      const { own, userId, email } = await createCustomer(root());
      const sibling = await createCustomer(root());
      const userEmail = newAddress();
      const tokens = {
        'of another address': await boundToken(root(), inbox, newAddress(), newApiKey()),
        'of a sibling': await boundToken(sibling.own, inbox, userEmail, newApiKey()),
        'made up': 'x.y.z',
      };
      const number = newPhoneNumber();
      const ofNumber = await numberToken(root(), number);
      const expired = await boundToken(root(), inbox, userEmail, newApiKey(), { expirationSeconds: '60' });
      const before = await countRows(raw);
      for (const [name, verificationToken] of Object.entries({ ...tokens, 'of a phone number': ofNumber })) {
        const answer = await own.submit('updateUserEmail', { userId, userEmail, verificationToken });
        expect(errorOf(answer), name).toEqual(badToken);
      }
      service.setAheadMs(2 * MINUTES);
      const late = await own.submit('updateUserEmail', { userId, userEmail, verificationToken: expired });
      service.setAheadMs(0);
      expect(errorOf(late)).toEqual(badToken);
      const nothing = await own.submit('updateUserEmail', { userId, userEmail: '', verificationToken: expired });
      expect(errorOf(nothing)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['verificationToken'] });
      expect(await countRows(raw)).toEqual(before);
      expect(await userOf(own, userId)).toMatchObject({ userEmail: email });
    });

    test('ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER is refused with a token of an e-mail address', async () => {
      const { userId } = await createMember(root());
      const verificationToken = await boundToken(root(), inbox, newAddress(), newApiKey());
      const answer = await root().submit('updateUserPhoneNumber', {
        userId,
        userPhoneNumber: newPhoneNumber(),
        verificationToken,
      });
      expect(errorOf(answer)).toEqual(badToken);
    });

    test.each([
      ['updateUserEmail', { userEmail: 'nowhere' }, 'userEmail'],
      ['updateUserEmail', {}, 'userEmail'],
      ['updateUserPhoneNumber', { userPhoneNumber: '0155' }, 'userPhoneNumber'],
      ['updateUserPhoneNumber', {}, 'userPhoneNumber'],
    ] as const)('%s with %j is refused by name', async (name, fields, field) => {
      const { userId } = await createMember(root());
      expect(errorOf(await root().submit(name, { userId, ...fields }))).toEqual({
        status: 400,
        code: 'REQUEST_INVALID',
        fields: [field],
      });
    });

    test('an unknown user, another organization’s user and a caller without permission are refused', async () => {
      const { own, userId } = await createCustomer(root());
      const { caller, userId: memberId } = await createMember(root());
      for (const [name, contact] of [
        ['updateUserEmail', { userEmail: newAddress() }],
        ['updateUserPhoneNumber', { userPhoneNumber: newPhoneNumber() }],
      ] as const) {
        for (const id of [madeUpId(), userId])
          expect(errorOf(await root().submit(name, { userId: id, ...contact }))).toEqual({
            status: 404,
            code: 'NOT_FOUND',
            fields: ['userId'],
          });
        expect(errorOf(await caller.submit(name, { userId: memberId, ...contact }))).toEqual({
          status: 403,
          code: 'POLICY_DENIED',
        });
        const byParent = await root()
          .with({ organizationId: own.organizationId })
          .submit(name, { userId, ...contact });
        expect(errorOf(byParent)).toEqual({ status: 400, code: 'ORGANIZATION_MISMATCH' });
      }
    });

    test('D55: an address that is the root quorum’s last way to sign in cannot be removed', async () => {
      const key = newApiKey();
      const userEmail = newAddress();
      const { userTags: _, ...user } = { ...userParams(key), userEmail };
      const session = { ...user.apiKeys[0], expirationSeconds: '600' };
      const params = subOrganizationParams(key, { rootUsers: [{ ...user, apiKeys: [session] }] });
      const { subOrganizationId: organizationId, rootUserIds } = await root().result('createSubOrganization', params);
      const own = root().with({ key, organizationId });
      const removal = { userId: rootUserIds[0], userEmail: '' };
      const answer = await own.submit('updateUserEmail', removal);
      expect(errorOf(answer)).toEqual({ status: 400, code: 'PRECONDITION_FAILED' });
      // An API key would end with the one that creates it.
      await own.result('createAuthenticators', { userId: rootUserIds[0], authenticators: [passkeyParams()] });
      expect((await own.submit('updateUserEmail', removal)).status).toBe(200);
    });
  },
  { config: { ...mailSettings(inbox), smsUrl } },
);
