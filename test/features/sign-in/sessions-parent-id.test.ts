import { expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import { type Json, resultOf } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import {
  apiKeyParams,
  createMember,
  createSubOrganization,
  errorOf,
  madeUpId,
  signParams,
  subOrganizationParams,
} from '../../support/world.ts';
import { passkeyParams, sendWithPasskey } from '../catalogue/support/passkeys.ts';
import { ask, MINUTES, readWriteSession } from './sessions-support.ts';

describeEngines("signing in under the parent's id", (subject) => {
  const root = () => subject().service.root;

  test('whoami, stamp_login and both sessions find the sub-organization that knows the key', async () => {
    const sub = await createSubOrganization(root());
    const caller = sub.caller.with({ organizationId: root().organizationId });
    expect(await caller.data('whoami')).toMatchObject({ organizationId: sub.organizationId, userId: sub.userId });
    const session = await readWriteSession(caller);
    expect(await session.with({ organizationId: sub.organizationId }).data('whoami')).toMatchObject({ userId: sub.userId });
    const readOnly = await caller.result('createReadOnlySession', {});
    expect(readOnly).toMatchObject({ organizationId: sub.organizationId, userId: sub.userId });
    expect((await ask(sub.caller, { 'x-session': readOnly.session })).status).toBe(200);
    const key = newApiKey();
    const answer = await caller.submit('stampLogin', { publicKey: key.publicKey });
    expect(answer.body.activity.organizationId).toBe(sub.organizationId);
    const claims = JSON.parse(Buffer.from(resultOf(answer).session.split('.')[1], 'base64url').toString());
    expect(claims).toMatchObject({ organization_id: sub.organizationId, user_id: sub.userId });
    expect(await sub.caller.with({ key }).data('whoami')).toMatchObject({ organizationId: sub.organizationId });
  });

  test('D94: the same sign-in of two sub-organizations is executed in each, without an alarm', async () => {
    const subs = [await createSubOrganization(root()), await createSubOrganization(root())];
    const body = root().submitBody('stampLogin', { publicKey: newApiKey().publicKey });
    for (const sub of subs) {
      const caller = sub.caller.with({ organizationId: root().organizationId });
      const send = () => caller.send(caller.submitPath('stampLogin'), body);
      const answer = await send();
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      expect(answer.body.activity.organizationId).toBe(sub.organizationId);
      expect((await send()).body.activity.id).toBe(answer.body.activity.id);
    }
  });

  test('a passkey is found as well', async () => {
    const authenticator = new SoftwareAuthenticator();
    const params = subOrganizationParams(newApiKey());
    const [user] = params.rootUsers as [Json];
    const rootUsers = [{ ...user, apiKeys: [], authenticators: [passkeyParams(authenticator)] }];
    const { subOrganizationId, rootUserIds } = await root().result('createSubOrganization', { ...params, rootUsers });
    const key = newApiKey();
    const body = root().submitBody('stampLogin', { publicKey: key.publicKey });
    const answer = await sendWithPasskey(root(), authenticator, root().submitPath('stampLogin'), body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const session = root().with({ key, organizationId: subOrganizationId });
    expect(await session.data('whoami')).toMatchObject({ userId: rootUserIds[0] });
  });

  test('other operations need the right id', async () => {
    const sub = await createSubOrganization(root());
    const caller = sub.caller.with({ organizationId: root().organizationId });
    expect(errorOf(await caller.query('listWallets'))).toEqual({ status: 401, code: 'PUBLIC_KEY_NOT_FOUND' });
    expect(errorOf(await caller.submit('signRawPayload', signParams('x')))).toEqual({
      status: 401,
      code: 'PUBLIC_KEY_NOT_FOUND',
    });
  });

  test('a key of the parent acts as the parent’s user', async () => {
    const { caller, userId } = await createMember(root());
    await root().result('createSubOrganization', subOrganizationParams(caller.key));
    expect(await caller.data('whoami')).toMatchObject({ organizationId: root().organizationId, userId });
  });

  test('a credential known to several sub-organizations is a conflict, and only its holder learns of it', async () => {
    const key = newApiKey();
    const places = await Promise.all([1, 2].map(() => root().result('createSubOrganization', subOrganizationParams(key))));
    const caller = root().with({ key });
    expect(errorOf(await caller.query('whoami'))).toEqual({ status: 401, code: 'CREDENTIAL_CONFLICT' });
    const answer = await caller.with({ dialect: 'turnkey' }).submit('stampLogin', { publicKey: newApiKey().publicKey });
    expect(answer.body).toMatchObject({ turnkeyErrorCode: 'CREDENTIAL_CONFLICT' });
    expect(answer.body.message).toContain('more than one suborg associated with a public key');
    const forged = { ...newApiKey(), publicKey: key.publicKey };
    expect(errorOf(await root().with({ key: forged }).query('whoami'))).toEqual({ status: 401, code: 'SIGNATURE_INVALID' });
    const [one] = places;
    expect((await caller.with({ organizationId: one.subOrganizationId }).query('whoami')).status).toBe(200);
  });

  test('an expired key does not block a valid one', async () => {
    const key = newApiKey();
    const short = subOrganizationParams(key);
    const [user] = short.rootUsers as [Json];
    const expiring = { ...apiKeyParams(key), expirationSeconds: '60' };
    const rootUsers = [{ ...user, apiKeys: [expiring, apiKeyParams(newApiKey())] }];
    await root().result('createSubOrganization', { ...short, rootUsers });
    const { subOrganizationId } = await root().result('createSubOrganization', subOrganizationParams(key));
    const caller = root().with({ key });
    expect(errorOf(await caller.query('whoami'))).toMatchObject({ code: 'CREDENTIAL_CONFLICT' });
    subject().service.setAheadMs(2 * MINUTES);
    expect(await caller.data('whoami')).toMatchObject({ organizationId: subOrganizationId });
    subject().service.setAheadMs(0);
  });

  test('D11: an unknown key gets the usual answer, for this and for an unknown organization', async () => {
    const stranger = root().with({ key: newApiKey() });
    const answers = await Promise.all([
      stranger.query('whoami'),
      stranger.with({ organizationId: madeUpId() }).query('whoami'),
      stranger.submit('stampLogin', { publicKey: newApiKey().publicKey }),
    ]);
    expect(answers.map(errorOf)).toEqual(answers.map(() => ({ status: 401, code: 'PUBLIC_KEY_NOT_FOUND' })));
    expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1);
  });
});
