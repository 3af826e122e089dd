import { describe, expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createSubOrganization, errorOf, uniqueName } from '../../support/world.ts';
import { expectSound } from './support/expect-sound.ts';
import { passkeyParams, sendWithPasskey } from './support/passkeys.ts';

/** A policy that allows one user what a condition describes. */
const allow = (userId: string, condition: string) => ({
  policyName: uniqueName('Policy'),
  effect: 'EFFECT_ALLOW',
  condition,
  consensus: `approvers.any(user, user.id == '${userId}')`,
});

describeEngines('features and origins', (subject) => {
  const featuresOf = async (root: Caller) => (await root.data('getOrganizationConfigs')).configs.features;

  test('features are set, replaced and removed, and each answer has the whole list', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const before = await featuresOf(root);
    const name = 'FEATURE_NAME_WEBAUTHN_ORIGINS';
    const origins = { name, value: 'https://a.example.com, https://b.example.com' };
    const kept = { name, value: 'https://a.example.com,https://b.example.com' };
    expect(await root.result('setOrganizationFeature', origins)).toEqual({ features: [...before, kept] });
    expect(await featuresOf(root)).toEqual([...before, kept]);
    const other = { name, value: 'https://c.example.com' };
    expect(await root.result('setOrganizationFeature', other)).toEqual({ features: [...before, other] });
    const self = { name: 'FEATURE_NAME_SESSION_SELF_SERVICE' };
    expect(await root.result('setOrganizationFeature', { ...self, value: 'true' })).toEqual({
      features: [...before, other, self],
    });
    expect(await root.result('removeOrganizationFeature', { name })).toEqual({ features: [...before, self] });
    expect(errorOf(await root.submit('removeOrganizationFeature', { name }))).toEqual({
      status: 404,
      code: 'NOT_FOUND',
      fields: ['name'],
    });
    expect(await featuresOf(root)).toEqual([...before, self]);
    await expectSound(subject().service, root);
  });

  test.each(['AUTH_PROXY', 'SOLANA_RENT_PREFUND_ENABLED', 'SWAP_CONFIG', 'EARN_CONFIG', 'ROOT_USER_EMAIL_RECOVERY'])(
    'FEATURE_NAME_%s would have no effect here, and is refused',
    async (feature) => {
      const { caller: root } = await createSubOrganization(subject().service.root);
      const answer = await root.submit('setOrganizationFeature', { name: `FEATURE_NAME_${feature}`, value: 'https://x.example' });
      expect(errorOf(answer)).toEqual({ status: 501, code: 'NOT_OFFERED', fields: ['name'] });
    },
  );

  test('a value for a switch and an unknown feature are refused', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const refused = async (params: object) => errorOf(await root.submit('setOrganizationFeature', params));
    expect(await refused({ name: 'FEATURE_NAME_EMAIL_AUTH', value: 'false' })).toMatchObject({ status: 400, fields: ['value'] });
    expect(await refused({ name: 'FEATURE_NAME_EMAIL_AUTH' })).toMatchObject({ status: 400, fields: ['value'] });
    expect(await refused({ name: 'FEATURE_NAME_NOTHING', value: '' })).toMatchObject({ status: 400, fields: ['name'] });
  });

  test('only the root quorum changes features', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const { userId, caller } = await createMember(root);
    await root.result('createPolicy', allow(userId, 'true'));
    const set = await caller.submit('setOrganizationFeature', { name: 'FEATURE_NAME_SMS_AUTH', value: '' });
    expect(errorOf(set)).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
    const removed = await caller.submit('removeOrganizationFeature', { name: 'FEATURE_NAME_EMAIL_AUTH' });
    expect(errorOf(removed)).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
  });

  test('allowed origins apply to creating and using passkeys, until the list is empty', async () => {
    const { caller: root, userId, organizationId } = await createSubOrganization(subject().service.root);
    const authenticator = new SoftwareAuthenticator();
    await root.result('createAuthenticators', { userId, authenticators: [passkeyParams(authenticator)] });
    const ask = async () =>
      (await sendWithPasskey(root, authenticator, root.queryPath('whoami'), JSON.stringify({ organizationId }))).status;
    const register = async () =>
      (await root.submit('createAuthenticators', { userId, authenticators: [passkeyParams()] })).body.errorCode;
    expect(await ask()).toBe(200);
    const other = ['https://elsewhere.example.com', 'http://localhost:3000'];
    expect(await root.result('updateAllowedOrigins', { allowedOrigins: other })).toEqual({});
    expect(await featuresOf(root)).toContainEqual({ name: 'FEATURE_NAME_WEBAUTHN_ORIGINS', value: other.join(',') });
    expect([await ask(), await register()]).toEqual([401, 'INVALID_ATTESTATION']);
    await root.result('updateAllowedOrigins', { allowedOrigins: [...other, authenticator.origin] });
    expect([await ask(), await register()]).toEqual([200, undefined]);
    await root.result('updateAllowedOrigins', { allowedOrigins: [] });
    expect((await featuresOf(root)).map(({ name }: Json) => name)).not.toContain('FEATURE_NAME_WEBAUTHN_ORIGINS');
    expect([await ask(), await register()]).toEqual([200, undefined]);
  });

  test('a policy may let a user change the origins', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const { userId, caller } = await createMember(root);
    const params = { allowedOrigins: ['https://app.example.com'] };
    expect(errorOf(await caller.submit('updateAllowedOrigins', params))).toMatchObject({ status: 403 });
    await root.result('createPolicy', allow(userId, "activity.resource == 'CONFIG' && activity.action == 'UPDATE'"));
    await caller.result('updateAllowedOrigins', params);
  });

  describe('an origin is exact', () => {
    test.each([
      'app.example.com',
      'https://app.example.com/',
      'https://app.example.com/path',
      'https://app.example.com:443',
      'https://APP.example.com',
      'https://user@app.example.com',
      'https://*.example.com',
      'https://app.example.com.',
      'https://[::1]',
      'http://app.example.com',
      'file:///etc/passwd',
      'null',
      '*',
    ])('%s is refused', async (origin) => {
      const { caller: root } = await createSubOrganization(subject().service.root);
      const listed = await root.submit('updateAllowedOrigins', { allowedOrigins: ['https://ok.example.com', origin] });
      expect(errorOf(listed)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['allowedOrigins.1'] });
      const feature = { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS', value: `https://ok.example.com,${origin}` };
      expect(errorOf(await root.submit('setOrganizationFeature', feature))).toMatchObject({ status: 400, fields: ['value'] });
    });

    test('an origin given twice is refused', async () => {
      const { caller: root } = await createSubOrganization(subject().service.root);
      const twice = ['https://ok.example.com', 'https://ok.example.com'];
      expect(errorOf(await root.submit('updateAllowedOrigins', { allowedOrigins: twice }))).toMatchObject({
        fields: ['allowedOrigins.1'],
      });
    });
  });
});
