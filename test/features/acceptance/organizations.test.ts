import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { shapeOf } from '../../support/shape-of.ts';
import {
  createSubOrganization,
  errorOf,
  ethereumAccount,
  privateKeyParams,
  subOrganizationParams,
  uniqueName,
} from '../../support/world.ts';

/** Authenticator parameters of a passkey that answers its own challenge. */
function passkeyParams(authenticator = new SoftwareAuthenticator()) {
  const challenge = randomBytes(32).toString('base64url');
  return { authenticatorName: uniqueName('Passkey'), challenge, attestation: authenticator.create(challenge) };
}

/** A root user in the form of the second version: API keys have no curve and are P-256. */
function oldRootUser() {
  const { publicKey } = newApiKey();
  return {
    userName: uniqueName('User'),
    userEmail: 'someone@example.com',
    apiKeys: [{ apiKeyName: 'Key', publicKey }],
    authenticators: [passkeyParams()],
  };
}

const wallet = () => ({ walletName: uniqueName('Wallet'), accounts: [ethereumAccount(0)] });
const base = () => ({ subOrganizationName: uniqueName('Customer'), rootQuorumThreshold: 1 });
const ids = { subOrganizationId: 'string', rootUserIds: ['string'] };
const withWallet = { ...ids, wallet: { walletId: 'string', addresses: ['string'] } };
const privateKeys = [{ privateKeyId: 'string', addresses: [{ format: 'string', address: 'string' }] }];
const curvedRootUser = () => ({ ...oldRootUser(), apiKeys: [{ apiKeyName: 'Key', ...curved() }], oauthProviders: [] });

function curved() {
  const { publicKey, curve } = newApiKey('SIGNATURE_SCHEME_TK_API_ED25519');
  return { publicKey, curveType: curve };
}

/** Every version: its parameters, the key of its result and the result's fields. */
const versions = [
  {
    suffix: '',
    params: () => ({ name: uniqueName('Customer'), rootAuthenticator: passkeyParams() }),
    resultKey: '',
    result: ids,
  },
  { suffix: '_V2', params: () => ({ ...base(), rootUsers: [oldRootUser()] }), resultKey: '', result: ids },
  {
    suffix: '_V3',
    params: () => ({
      ...base(),
      rootUsers: [oldRootUser()],
      privateKeys: [privateKeyParams('CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM'])],
    }),
    resultKey: 'V3',
    result: { ...ids, privateKeys },
  },
  {
    suffix: '_V4',
    params: () => ({ ...base(), rootUsers: [oldRootUser()], wallet: wallet(), disableEmailAuth: true }),
    resultKey: 'V4',
    result: withWallet,
  },
  {
    suffix: '_V5',
    params: () => ({ ...base(), rootUsers: [{ ...oldRootUser(), oauthProviders: [] }], wallet: wallet() }),
    resultKey: 'V5',
    result: withWallet,
  },
  {
    suffix: '_V6',
    params: () => ({ ...base(), rootUsers: [curvedRootUser()], disableEmailRecovery: true }),
    resultKey: 'V6',
    result: ids,
  },
  {
    suffix: '_V7',
    params: () => ({
      ...base(),
      rootUsers: [{ ...curvedRootUser(), userPhoneNumber: '+15555550100' }],
      wallet: wallet(),
      disableSmsAuth: true,
      disableOtpEmailAuth: true,
    }),
    resultKey: 'V7',
    result: withWallet,
  },
];

describeEngines('sub-organizations', (subject) => {
  describe.each(['spec', 'turnkey'] as const)('in the dialect %s', (dialect) => {
    test.each(versions)(
      'create_sub_organization$suffix is accepted in its own form',
      async ({ suffix, params, resultKey, result }) => {
        const root = subject().service.root.with({ dialect });
        const type = `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION${suffix}`;
        const parameters = params();
        const { status, body } = await root.submit('createSubOrganization', parameters, { type });
        expect(status, JSON.stringify(body)).toBe(200);
        expect(body.activity.type).toBe(type);
        if (dialect === 'turnkey') {
          const intentKey = `createSubOrganizationIntent${suffix.replace('_', '')}`;
          expect(body.activity.intent).toEqual({ [intentKey]: parameters });
          expect(shapeOf(body.activity.result)).toEqual({ [`createSubOrganizationResult${resultKey}`]: result });
        } else {
          const { intent, result: shown, type: inner } = body.activity.result.activity;
          expect(inner).toBe(type);
          expect(Object.keys(intent)).toEqual(['createSubOrganizationIntent']);
          expect(shapeOf(shown)).toEqual({ createSubOrganizationResult: result });
        }
      },
    );
  });

  test('the passkeys, e-mail address and features of a request are recorded', async () => {
    const { root } = subject().service;
    const rootUser = oldRootUser();
    const [passkey] = rootUser.authenticators;
    const params = { ...base(), rootUsers: [rootUser], disableEmailAuth: true };
    const type = 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4';
    const { subOrganizationId, rootUserIds } = await root.result('createSubOrganization', params, { type });
    const { configs } = await root.with({ organizationId: subOrganizationId }).data('getOrganizationConfigs');
    expect(configs).toEqual({
      features: ['EMAIL_RECOVERY', 'OTP_EMAIL_AUTH', 'NO_BLIND_HASHES'].map((name) => ({ name: `FEATURE_NAME_${name}` })),
      quorum: { threshold: 1, userIds: rootUserIds },
    });
    for (const [filterType, filterValue] of [
      ['CREDENTIAL_ID', passkey?.attestation.credentialId],
      ['USERNAME', rootUser.userName],
      ['NAME', params.subOrganizationName],
      ['PUBLIC_KEY', rootUser.apiKeys[0]?.publicKey.toUpperCase()],
    ]) {
      const found = await root.data('listSuborgs', { filterType, filterValue });
      expect(found, filterType).toEqual({ organizationIds: [subOrganizationId] });
    }
    const byEmail = await root.data('listSuborgs', { filterType: 'EMAIL', filterValue: 'Someone@Example.com' });
    expect(byEmail.organizationIds).toContain(subOrganizationId);
  });

  test('the root user of a sub-organization acts in it, and the passkey is shown with its votes', async () => {
    const { root } = subject().service;
    const key = newApiKey();
    const authenticator = new SoftwareAuthenticator();
    const params = subOrganizationParams(key);
    const withPasskey = { ...params, rootUsers: [{ ...params.rootUsers[0], authenticators: [passkeyParams(authenticator)] }] };
    const { subOrganizationId, rootUserIds } = await root.result('createSubOrganization', withPasskey);
    const own = root.with({ key, organizationId: subOrganizationId, dialect: 'turnkey' });
    expect(await own.data('whoami')).toMatchObject({ organizationId: subOrganizationId, userId: rootUserIds[0] });
    const { body } = await own.submit('createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_P256')] });
    const [shown] = body.activity.votes[0].user.authenticators;
    expect(Object.keys(shown).sort()).toEqual(
      [
        'transports',
        'attestationType',
        'aaguid',
        'credentialId',
        'model',
        'credential',
        'authenticatorId',
        'authenticatorName',
        'createdAt',
        'updatedAt',
      ].sort(),
    );
    expect(shown).toMatchObject({
      credentialId: authenticator.credentialId.toString('base64url'),
      attestationType: 'none',
      credential: {
        publicKey: authenticator.publicKeyCose.toString('base64url'),
        type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR',
      },
    });
  });

  test('D21, D22: a passkey made for another challenge is refused, and so is one passkey given twice', async () => {
    const { root } = subject().service;
    const passkey = passkeyParams();
    const params = subOrganizationParams(newApiKey());
    const submit = (authenticators: object[]) =>
      root.submit('createSubOrganization', { ...params, rootUsers: [{ ...params.rootUsers[0], authenticators }] });
    expect(errorOf(await submit([{ ...passkey, challenge: 'AAAA' }]))).toEqual({
      status: 400,
      code: 'INVALID_ATTESTATION',
      fields: ['rootUsers.0.authenticators.0.attestation'],
    });
    expect(errorOf(await submit([passkey, passkey]))).toMatchObject({ code: 'INVALID_ATTESTATION' });
  });

  test('D55: a sub-organization that nobody could act in is refused', async () => {
    const { root } = subject().service;
    const params = subOrganizationParams(newApiKey());
    const [rootUser] = params.rootUsers;
    const submit = (more: object) => root.submit('createSubOrganization', { ...params, ...more });
    const refused = (field: string) => ({ status: 400, code: 'REQUEST_INVALID', fields: [field] });
    expect(errorOf(await submit({ rootUsers: [{ ...rootUser, apiKeys: [] }] }))).toEqual(refused('rootUsers'));
    expect(errorOf(await submit({ rootQuorumThreshold: 2 }))).toEqual(refused('rootQuorumThreshold'));
    expect(errorOf(await submit({ rootQuorumThreshold: 0 }))).toEqual(refused('rootQuorumThreshold'));
    const two = [rootUser, { ...rootUser, userName: uniqueName('User'), apiKeys: [] }];
    expect(errorOf(await submit({ rootUsers: two, rootQuorumThreshold: 2 }))).toEqual(refused('rootUsers'));
  });

  test('a sub-organization cannot have sub-organizations, and identities are not offered without an issuer', async () => {
    const { root } = subject().service;
    const { caller } = await createSubOrganization(root);
    const nested = await caller.submit('createSubOrganization', subOrganizationParams(newApiKey()));
    expect(errorOf(nested)).toEqual({ status: 400, code: 'PRECONDITION_FAILED' });
    const params = subOrganizationParams(newApiKey());
    const rootUsers = [{ ...params.rootUsers[0], oauthProviders: [{ providerName: 'Somebody', oidcToken: 'a.b.c' }] }];
    const identified = await root.submit('createSubOrganization', { ...params, rootUsers });
    expect(errorOf(identified)).toMatchObject({ status: 501, code: 'NOT_OFFERED' });
    const byToken = await root.query('listSuborgs', { filterType: 'OIDC_TOKEN', filterValue: 'a.b.c' });
    expect(errorOf(byToken)).toEqual({ status: 501, code: 'NOT_OFFERED', fields: ['filterValue'] });
  });
});

describeEngines('list_suborgs', (subject) => {
  const made: string[] = [];
  let root: Caller;

  beforeAll(async () => {
    root = subject().service.root;
    made.length = 0;
    for (let index = 0; index < 12; index++) made.unshift((await createSubOrganization(root)).organizationId);
  });

  const list = async (paginationOptions?: object) =>
    (await root.data('listSuborgs', paginationOptions && { paginationOptions })).organizationIds;

  test('lists ten by default, newest first', async () => {
    expect(await list()).toEqual(made.slice(0, 10));
  });

  test('pages connect without gap or repetition in both directions', async () => {
    expect(await list({ limit: '5' })).toEqual(made.slice(0, 5));
    expect(await list({ limit: '5', after: made[4] })).toEqual(made.slice(5, 10));
    expect(await list({ limit: '5', after: made[9] })).toEqual(made.slice(10));
    expect(await list({ limit: '5', before: made[9] })).toEqual(made.slice(4, 9));
    expect(await list({ limit: '100' })).toEqual(made);
  });

  test('D58: a page does not change when newer items arrive', async () => {
    const page = await list({ limit: '5', after: made[4] });
    made.unshift((await createSubOrganization(root)).organizationId);
    expect(await list({ limit: '5', after: made[5] })).toEqual(page);
  });

  test.each([
    ['limit of 0', { limit: '0' }, 'paginationOptions.limit'],
    ['limit of 101', { limit: '101' }, 'paginationOptions.limit'],
    ['limit written as 1e2', { limit: '1e2' }, 'paginationOptions.limit'],
    ['limit with a sign', { limit: '+5' }, 'paginationOptions.limit'],
    ['limit that is a number', { limit: 5 }, 'paginationOptions.limit'],
    ['unknown option', { offset: '1' }, 'paginationOptions.offset'],
  ])('D58: a %s is refused', async (_what, paginationOptions, field) => {
    const answer = await root.query('listSuborgs', { paginationOptions });
    expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: [field] });
  });

  test('D59: a filter value is literal', async () => {
    for (const filterValue of ['%', '_', "' OR 1=1 --", '*', 'customer', `${'x'.repeat(4000)}`, '\u202eCustomer', '🜁']) {
      expect(await root.data('listSuborgs', { filterType: 'NAME', filterValue })).toEqual({ organizationIds: [] });
    }
    const subOrganizationName = `100%_'"\\ \u202e🜁 ${uniqueName('Customer')}`;
    const { subOrganizationId } = await root.result('createSubOrganization', {
      ...subOrganizationParams(newApiKey()),
      subOrganizationName,
    });
    const found = await root.data('listSuborgs', { filterType: 'NAME', filterValue: subOrganizationName });
    expect(found).toEqual({ organizationIds: [subOrganizationId] });
  });

  test('a filter needs both type and value', async () => {
    expect(errorOf(await root.query('listSuborgs', { filterType: 'NAME' }))).toMatchObject({ fields: ['filterType'] });
    expect(errorOf(await root.query('listSuborgs', { filterValue: 'x' }))).toMatchObject({ fields: ['filterValue'] });
    expect(errorOf(await root.query('listSuborgs', { filterType: 'COLOUR', filterValue: 'x' }))).toMatchObject({
      fields: ['filterType'],
    });
  });

  test('a sub-organization has an empty list', async () => {
    const { caller } = await createSubOrganization(root);
    expect(await caller.data('listSuborgs')).toEqual({ organizationIds: [] });
    expect(await caller.data('listSuborgs', { paginationOptions: { before: caller.organizationId } })).toEqual({
      organizationIds: [],
    });
  });
});
