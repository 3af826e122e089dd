import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiKey, newApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createMember, errorOf, subOrganizationParams, uniqueName, userParams } from '../../support/world.ts';
import { passkeyParams } from '../catalogue/support/passkeys.ts';
import { createCustomer, mailSettings, newAddress, newPhoneNumber } from './mail-support.ts';
import { boundToken, claimsOf, clientSignature, loginStatement, newestCode } from './otp-support.ts';
import { MINUTES } from './sessions-support.ts';
import { startInbox } from './smtp-inbox.ts';

const inbox = await startInbox();
afterAll(() => inbox.stop());

const badToken = { status: 400, code: 'VERIFICATION_TOKEN_INVALID', fields: ['verificationToken'] };

/** What clients sign for their new root user. */
function signUpStatement(tokenId: string, user: Json, name: 'signup' | 'signupV2' = 'signupV2') {
  const { userEmail, userPhoneNumber, apiKeys, authenticators, oauthProviders } = user;
  const usage = {
    apiKeys,
    authenticators,
    oauthProviders,
    ...(userEmail && { email: userEmail }),
    ...(userPhoneNumber && { phoneNumber: userPhoneNumber }),
  };
  return { [name]: usage, tokenId, type: 'USAGE_TYPE_SIGNUP' };
}

describeEngines(
  'sign-up with a verified contact',
  (subject) => {
    const root = () => subject().service.root;

    /** A person with a key and a token for a new address. */
    async function newPerson(more: object = {}, issuedBy: Caller = root()) {
      const [key, email] = [newApiKey(), newAddress()];
      const { userTags: _, ...user } = { ...userParams(key), userEmail: email, ...more };
      const verificationToken = await boundToken(issuedBy, inbox, email, key);
      return { key, email, user, verificationToken, tokenId: claimsOf(verificationToken).id as string };
    }
    type Person = Awaited<ReturnType<typeof newPerson>>;

    const signUpParams = ({ key, user, verificationToken, tokenId }: Person, more: object = {}) => ({
      subOrganizationName: uniqueName('Customer'),
      rootUsers: [user],
      rootQuorumThreshold: 1,
      verificationToken,
      clientSignature: clientSignature(key, signUpStatement(tokenId, user)),
      ...more,
    });
    const signUp = (person: Person, more: object = {}, caller = root()) =>
      caller.submit('createSubOrganization', signUpParams(person, more));

    describe.each([
      ['spec', 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7'],
      ['turnkey', 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7'],
      ['turnkey', 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8'],
    ] as const)('in the dialect %s, %s', (dialect, type) => {
      test('a person signs up with a token and logs in with it once', async () => {
        const person = await newPerson();
        const { key, email, verificationToken, tokenId } = person;
        const caller = root().with({ dialect });
        const made = await caller.result('createSubOrganization', signUpParams(person), { type });
        const organizationId: string = made.subOrganizationId;
        expect(await root().data('listSuborgs', { filterType: 'EMAIL', filterValue: email })).toEqual({
          organizationIds: [organizationId],
        });
        const session = newApiKey();
        const login = {
          verificationToken,
          publicKey: session.publicKey,
          clientSignature: clientSignature(key, loginStatement(tokenId, session.publicKey)),
        };
        const backend = root().with({ organizationId });
        expect((await backend.submit('otpLogin', login)).status).toBe(200);
        expect(await backend.with({ key: session }).data('whoami')).toMatchObject({ userId: made.rootUserIds[0] });
        expect(errorOf(await backend.submit('otpLogin', login))).toEqual(badToken);
      });
    });

    test.each(['signup', 'signupV2'] as const)(
      'the statement may be named %s, with all credentials and fields in any order',
      async (name) => {
        const person = await newPerson({ userPhoneNumber: newPhoneNumber(), authenticators: [passkeyParams()] });
        const { [name]: usage, tokenId, type } = signUpStatement(person.tokenId, person.user, name) as Json;
        const turned = (value: Json): Json =>
          value === null || typeof value !== 'object' || Array.isArray(value)
            ? value
            : Object.fromEntries(
                Object.entries(value)
                  .reverse()
                  .map(([field, member]) => [field, turned(member)]),
              );
        const statement = { type, tokenId, [name]: turned({ ...usage, apiKeys: usage.apiKeys.map(turned) }) };
        const answer = await signUp(person, { clientSignature: clientSignature(person.key, statement, 'der') });
        expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      },
    );

    test('lists that the statement leaves out count as empty', async () => {
      const person = await newPerson({ apiKeys: [] });
      const statement = { signupV2: { email: person.email }, tokenId: person.tokenId, type: 'USAGE_TYPE_SIGNUP' };
      expect((await signUp(person, { clientSignature: clientSignature(person.key, statement) })).status).toBe(200);
    });

    test('the token’s address matches the root user’s in any case, and other root users may exist', async () => {
      const person = await newPerson();
      const user = { ...person.user, userEmail: person.email.toUpperCase() };
      const { userTags: _, ...other } = { ...userParams(newApiKey()), userEmail: newAddress() };
      const signature = clientSignature(person.key, signUpStatement(person.tokenId, user));
      const answer = await signUp(person, { rootUsers: [other, user], clientSignature: signature });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    });

    test('of concurrent requests with one token, one creates a sub-organization', async () => {
      const person = await newPerson();
      const answers = await Promise.all(Array.from({ length: 4 }, () => signUp(person)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status !== 200).map(errorOf)).toEqual([badToken, badToken, badToken]);
      const { organizationIds } = await root().data('listSuborgs', { filterType: 'EMAIL', filterValue: person.email });
      expect(organizationIds).toHaveLength(1);
    });

    test('people who sign up concurrently each get their own sub-organization', async () => {
      const people = await Promise.all(Array.from({ length: 6 }, () => newPerson()));
      const answers = await Promise.all(people.map((person) => signUp(person)));
      expect(answers.map(({ status }) => status)).toEqual(people.map(() => 200));
    });

    test('repeating the request returns the same sub-organization', async () => {
      const caller = root();
      const body = caller.submitBody('createSubOrganization', signUpParams(await newPerson()));
      const path = caller.submitPath('createSubOrganization');
      const [first, second] = [await caller.send(path, body), await caller.send(path, body)];
      expect(second.body).toEqual(first.body);
      expect(first.status).toBe(200);
    });

    test('a refusal leaves nothing behind, and the token stays valid', async () => {
      const { raw } = subject();
      const person = await newPerson();
      const { key, user, tokenId, verificationToken } = person;
      const thief = newApiKey();
      const stolen = { ...user, apiKeys: userParams(thief).apiKeys };
      const good = signUpStatement(tokenId, user);
      const signed = (statement: object, by: ApiKey = key) => ({ clientSignature: clientSignature(by, statement) });
      const { signupV2: usage } = good as Json;
      const twice = { rootUsers: [user, { ...user, userName: uniqueName('Twin'), apiKeys: [] }] };
      const attempts: Record<string, object> = {
        'no signature': { clientSignature: undefined },
        'by another key': signed(good, thief),
        'by another key that calls itself the right one': {
          clientSignature: { ...clientSignature(thief, good), publicKey: key.publicKey },
        },
        'other credentials': { rootUsers: [stolen] },
        'a credential more': { rootUsers: [{ ...user, apiKeys: [...user.apiKeys, ...stolen.apiKeys] }] },
        'a passkey more': { rootUsers: [{ ...user, authenticators: [passkeyParams()] }] },
        'a phone number that was not signed': { rootUsers: [{ ...user, userPhoneNumber: newPhoneNumber() }] },
        'another spelling of the address than was signed': { rootUsers: [{ ...user, userEmail: person.email.toUpperCase() }] },
        'for another token': signed(signUpStatement('another', user)),
        'for a login': signed(loginStatement(tokenId, key.publicKey)),
        'under both names': signed({ ...good, signup: usage }),
        'with something more in it': signed({ ...good, signupV2: { ...usage, userName: user.userName } }),
        'not a statement': { clientSignature: { ...clientSignature(key, good), message: 'x' } },
        'changed afterwards': { clientSignature: { ...clientSignature(key, good), message: `${JSON.stringify(good)} ` } },
        'nobody at the contact': { rootUsers: [{ ...user, userEmail: newAddress() }] },
        'two at the contact': twice,
        'an altered token': { verificationToken: `${verificationToken.slice(0, -4)}AAAA` },
        'no token': { verificationToken: 'x' },
      };
      const before = await countRows(raw);
      for (const [name, more] of Object.entries(attempts)) expect(errorOf(await signUp(person, more)), name).toEqual(badToken);
      expect(await countRows(raw)).toEqual(before);
      expect((await signUp(person)).status).toBe(200);
    });

    test('a token without a key is refused: it proves the contact, but not who owns the credentials', async () => {
      const contact = newAddress();
      const { otpId } = await root().result('initOtp', { otpType: 'OTP_TYPE_EMAIL', contact });
      const otpCode = await newestCode(inbox, contact);
      const { verificationToken } = await root().result('verifyOtp', { otpId, otpCode });
      const key = newApiKey();
      const { userTags: _, ...user } = { ...userParams(key), userEmail: contact };
      const params = subOrganizationParams(key, { rootUsers: [user], verificationToken });
      const answer = await root().submit('createSubOrganization', params);
      expect(errorOf(answer)).toEqual(badToken);
      expect(answer.body.message).toContain('names no key');
    });

    test('a signature without a token is refused, and the field named', async () => {
      const key = newApiKey();
      const params = subOrganizationParams(key, { clientSignature: clientSignature(key, {}) });
      const answer = await root().submit('createSubOrganization', params);
      expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['clientSignature'] });
    });

    test('an expired token and a sub-organization’s token sign nobody up', async () => {
      const { service } = subject();
      const late = await newPerson();
      service.setAheadMs(61 * MINUTES);
      // The request needs a timestamp of the service's clock.
      const timestampMs = String(Date.now() + 61 * MINUTES);
      const answer = await root().submit('createSubOrganization', signUpParams(late), { timestampMs });
      service.setAheadMs(0);
      expect(errorOf(answer)).toEqual(badToken);
      const { own } = await createCustomer(root());
      expect(errorOf(await signUp(await newPerson({}, own)))).toEqual(badToken);
    });

    test('a token used to log in to the parent signs nobody up, and the reverse', async () => {
      const people = [await newPerson(), await newPerson()] as const;
      for (const { email } of people) {
        const { userId } = await createMember(root());
        await root().result('updateUser', { userId, userEmail: email });
      }
      const login = ({ key, verificationToken, tokenId }: Person) => {
        const { publicKey } = newApiKey();
        const signature = clientSignature(key, loginStatement(tokenId, publicKey));
        return root().submit('otpLogin', { verificationToken, publicKey, clientSignature: signature });
      };
      expect((await signUp(people[0])).status).toBe(200);
      expect(errorOf(await login(people[0]))).toEqual(badToken);
      expect((await login(people[1])).status).toBe(200);
      expect(errorOf(await signUp(people[1]))).toEqual(badToken);
    });

    test('a token does not replace the permission to create sub-organizations', async () => {
      const { caller } = await createMember(root());
      expect(errorOf(await signUp(await newPerson(), {}, caller))).toEqual({ status: 403, code: 'POLICY_DENIED' });
    });

    describe('with two nodes', () => {
      let second: TestService;
      beforeAll(async () => {
        second = await startService(subject().installation, { config: mailSettings(inbox) });
        return () => second.close();
      });

      test('a token creates one sub-organization in total', async () => {
        const person = await newPerson();
        const there = root().with({ url: second.url });
        const answers = await Promise.all([root(), there, root(), there].map((caller) => signUp(person, {}, caller)));
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
        expect(answers.filter(({ status }) => status !== 200).map(errorOf)).toEqual([badToken, badToken, badToken]);
      });
    });
  },
  { config: mailSettings(inbox) },
);
