import { expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey, type StampKind } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import {
  apiKeyParams,
  createMember,
  createSubOrganization,
  errorOf,
  subOrganizationParams,
  userParams,
} from '../../support/world.ts';
import { passkeyParams, sendWithPasskey } from '../catalogue/support/passkeys.ts';
import { readWriteSession } from '../sign-in/sessions-support.ts';

const newLogin = () => ({ publicKey: newApiKey().publicKey });
const unknown = { status: 401, code: 'PUBLIC_KEY_NOT_FOUND' };

/** Logs in with a passkey under an organization's id. */
function logIn(caller: Caller, passkey: SoftwareAuthenticator, organizationId: string) {
  const body = caller.submitBody('stampLogin', newLogin(), { organizationId });
  return sendWithPasskey(caller, passkey, caller.submitPath('stampLogin'), body);
}

describeEngines('a stranger’s credential that a tenant registers', (subject) => {
  const root = () => subject().service.root;
  const schemes: StampKind[] = [
    'SIGNATURE_SCHEME_TK_API_P256',
    'SIGNATURE_SCHEME_TK_API_ED25519',
    'SIGNATURE_SCHEME_TK_API_SECP256K1',
  ];

  test.each(schemes)('D280: under the parent’s id, does not lead the holder of a key to the tenant (%s)', async (scheme) => {
    const key = newApiKey(scheme);
    const stranger = root().with({ key });
    const tenant = await createSubOrganization(root());
    await tenant.caller.result('createApiKeys', { userId: tenant.userId, apiKeys: [apiKeyParams(key)] });
    const other = await createSubOrganization(root());
    await other.caller.result('createUsers', { users: [userParams(key)] });
    const answers = [await stranger.query('whoami'), await stranger.submit('stampLogin', newLogin())];
    expect(answers.map(errorOf)).toEqual([unknown, unknown]);
    // The response is that of a key that is registered nowhere.
    const nowhere = await root()
      .with({ key: newApiKey(scheme) })
      .query('whoami');
    expect(answers.map(({ body }) => body.message)).toEqual([nowhere.body.message, nowhere.body.message]);
    // Whoever holds the key can use it in the sub-organization, by its id. From then on, it leads there.
    const inTenants = stranger.with({ organizationId: tenant.organizationId });
    expect(await inTenants.data('whoami')).toMatchObject({ userId: tenant.userId });
    await inTenants.result('stampLogin', newLogin());
    expect(await stranger.data('whoami')).toMatchObject({ organizationId: tenant.organizationId });
  });

  test('D280: the key of a login does not resolve before its holder uses it in the sub-organization', async () => {
    const key = newApiKey();
    const tenant = await createSubOrganization(root());
    await tenant.caller.result('stampLogin', { publicKey: key.publicKey });
    expect(errorOf(await root().with({ key }).query('whoami'))).toEqual(unknown);
    await tenant.caller.with({ key }).result('stampLogin', newLogin());
    expect(await root().with({ key }).data('whoami')).toMatchObject({ organizationId: tenant.organizationId });
  });

  test('D280: any number of registrations by tenants neither hides nor blocks a key that the parent registered', async () => {
    const key = newApiKey('SIGNATURE_SCHEME_TK_API_ED25519');
    const { subOrganizationId } = await root().result('createSubOrganization', subOrganizationParams(key));
    for (let count = 0; count < 9; count++) {
      const tenant = await createSubOrganization(root());
      await tenant.caller.result('createUsers', { users: [userParams(key)] });
    }
    const answer = await root().with({ key }).submit('stampLogin', newLogin());
    expect(answer.body.activity?.organizationId ?? answer.body).toBe(subOrganizationId);
  });

  test('D280: a key that the service generated resolves before its first use', async () => {
    const { caller, organizationId } = await createSubOrganization(root());
    const session = await readWriteSession(caller);
    const tenant = await createSubOrganization(root());
    await tenant.caller.result('createUsers', { users: [userParams(session.key)] });
    expect(await session.with({ organizationId: root().organizationId }).data('whoami')).toMatchObject({ organizationId });
  });

  test('D281: a passkey that was added later resolves until a second sub-organization claims it, and its use decides', async () => {
    const passkey = new SoftwareAuthenticator();
    const params = passkeyParams(passkey);
    const [owner, tenant] = [await createSubOrganization(root()), await createSubOrganization(root())];
    const register = ({ caller, userId }: typeof owner) =>
      caller.result('createAuthenticators', { userId, authenticators: [params] });
    await register(owner);
    const second = new SoftwareAuthenticator();
    await owner.caller.result('createAuthenticators', { userId: owner.userId, authenticators: [passkeyParams(second)] });
    const atParent = (each: SoftwareAuthenticator) => logIn(root(), each, root().organizationId);
    expect((await atParent(second)).body.activity.organizationId).toBe(owner.organizationId);
    await register(tenant);
    expect(errorOf(await atParent(passkey))).toEqual({ status: 401, code: 'CREDENTIAL_CONFLICT' });
    expect((await logIn(root(), passkey, owner.organizationId)).status).toBe(200);
    expect((await atParent(passkey)).body.activity.organizationId).toBe(owner.organizationId);
  });

  test('D281: a passkey that the parent registered at sign-up is not contested by a tenant', async () => {
    const passkey = new SoftwareAuthenticator();
    const params = passkeyParams(passkey);
    const user = { ...subOrganizationParams(newApiKey()).rootUsers[0], apiKeys: [], authenticators: [params] };
    const request = subOrganizationParams(newApiKey(), { rootUsers: [user] });
    const { subOrganizationId } = await root().result('createSubOrganization', request);
    const tenant = await createSubOrganization(root());
    await tenant.caller.result('createAuthenticators', { userId: tenant.userId, authenticators: [params] });
    const answer = await logIn(root(), passkey, root().organizationId);
    expect(answer.body.activity?.organizationId ?? answer.body).toBe(subOrganizationId);
  });

  test('D378: a user of the parent who registers the key or passkey of a customer does not take their sign-in over', async () => {
    const key = newApiKey();
    const passkey = new SoftwareAuthenticator();
    const params = passkeyParams(passkey);
    const customer = await createSubOrganization(root());
    await customer.caller.result('createApiKeys', { userId: customer.userId, apiKeys: [apiKeyParams(key)] });
    await customer.caller.result('createAuthenticators', { userId: customer.userId, authenticators: [params] });
    const atParent = root().with({ key });
    await customer.caller.with({ key }).result('stampLogin', newLogin());
    expect((await logIn(root(), passkey, customer.organizationId)).status).toBe(200);

    // Any user of the parent can do this with their own API key. A passkey takes a passkey, or the root quorum.
    const { userId, caller } = await createMember(root());
    await caller.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key)] });
    await root().result('createAuthenticators', { userId, authenticators: [params] });
    expect(await atParent.data('whoami')).toMatchObject({ organizationId: customer.organizationId, userId: customer.userId });
    for (const answer of [await atParent.submit('stampLogin', newLogin()), await logIn(root(), passkey, root().organizationId)])
      expect(answer.body.activity?.organizationId ?? answer.body).toBe(customer.organizationId);
  });

  test('D378: a key of the parent that its users gave to sub-organizations later still signs in at the parent', async () => {
    const { userId, caller } = await createMember(root());
    for (let count = 0; count < 2; count++) {
      const { organizationId } = await createSubOrganization(root()).then(async (sub) => {
        await sub.caller.result('createUsers', { users: [userParams(caller.key)] });
        return sub;
      });
      await caller.with({ organizationId }).result('stampLogin', newLogin());
    }
    expect(await caller.data('whoami')).toMatchObject({ organizationId: root().organizationId, userId });
    expect((await caller.submit('stampLogin', newLogin())).body.activity.organizationId).toBe(root().organizationId);
  });

  test('D378: a key that was used in several sub-organizations is that of the parent once the parent registers it', async () => {
    const key = newApiKey();
    for (let count = 0; count < 2; count++) {
      const { caller } = await createSubOrganization(root());
      await caller.result('createUsers', { users: [userParams(key)] });
      await caller.with({ key }).result('stampLogin', newLogin());
    }
    const backend = root().with({ key });
    expect(errorOf(await backend.query('whoami'))).toMatchObject({ code: 'CREDENTIAL_CONFLICT' });
    await root().result('createUsers', { users: [userParams(key)] });
    expect(await backend.data('whoami')).toMatchObject({ organizationId: root().organizationId });
  });
});
