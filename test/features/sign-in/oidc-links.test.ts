import { createPublicKey } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { TestIssuer } from '../../../packages/server/test/auth/oidc/test-issuer.ts';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createSubOrganization, errorOf, subOrganizationParams, uniqueName, userParams } from '../../support/world.ts';
import { passkeyParams, sendWithPasskey } from '../catalogue/support/passkeys.ts';
import { loginParams, newSubject, nonceFor, providerParams, trust } from './oidc-support.ts';

const issuer = await TestIssuer.start();
afterAll(() => issuer.close());

const newUser = (oidcToken: string) => ({
  ...userParams(newApiKey()),
  userName: uniqueName('Linked'),
  oauthProviders: [providerParams(oidcToken)],
});

for (const dialect of ['spec', 'turnkey'] as const) {
  describeEngines(
    `links to identities, ${dialect}`,
    (subject) => {
      const root = () => subject().service.root.with({ dialect });
      const tenant = async () => createSubOrganization(root());

      test('D276: a tenant cannot create a user with the identity in a token of another person', async () => {
        const { caller } = await tenant();
        const stolen = await issuer.token({ sub: newSubject(), nonce: nonceFor(newApiKey().publicKey) });
        const answer = await caller.submit('createUsers', { users: [newUser(stolen)] });
        expect(errorOf(answer)).toMatchObject({
          status: 400,
          code: dialect === 'spec' ? 'OIDC_TOKEN_INVALID' : 'INVALID_OIDC_TOKEN',
        });
        // The message contains the nonce that would be accepted.
        expect(JSON.stringify(answer.body)).toContain(nonceFor(caller.key.publicKey));
      });

      test('D276: with a token for the key that stamps the request, the user is created and signs in', async () => {
        const { caller } = await tenant();
        const sub = newSubject();
        const oidcToken = await issuer.token({ sub, nonce: nonceFor(caller.key.publicKey) });
        const { userIds } = await caller.result('createUsers', { users: [newUser(oidcToken)] });
        const { key, params } = await loginParams(issuer, sub);
        expect((await caller.submit('oauthLogin', params)).status).toBe(200);
        expect(await caller.with({ key }).data('whoami')).toMatchObject({ userId: userIds[0] });
      });

      test('D276: a parent signs up a person with a token for the key of that person', async () => {
        const key = newApiKey();
        const oidcToken = await issuer.token({ sub: newSubject(), nonce: nonceFor(newApiKey().publicKey) });
        const { userTags: _, ...rootUser } = { ...userParams(key), oauthProviders: [providerParams(oidcToken)] };
        const answer = await root().submit('createSubOrganization', subOrganizationParams(key, { rootUsers: [rootUser] }));
        expect(answer.status).toBe(200);
      });

      test('a passkey links a token for its credential id or its compressed public key, and no other', async () => {
        const holder = await tenant();
        const passkey = new SoftwareAuthenticator();
        const registration = passkeyParams(passkey);
        await holder.caller.result('createAuthenticators', { userId: holder.userId, authenticators: [registration] });
        const { x = '', y = '' } = createPublicKey(passkey.privateKey).export({ format: 'jwk' });
        const sign = (Buffer.from(y, 'base64url').at(-1) as number) % 2 === 0 ? '02' : '03';
        const compressed = sign + Buffer.from(x, 'base64url').toString('hex');
        const { credentialId } = registration.attestation;
        for (const text of [credentialId, compressed]) expect(await linkWith(holder, passkey, nonceFor(text)), text).toBe(200);
        for (const text of [holder.caller.key.publicKey, compressed.toUpperCase()])
          expect(await linkWith(holder, passkey, nonceFor(text)), text).toBe(400);
      });

      async function linkWith(
        { caller, userId }: { readonly caller: Caller; readonly userId: string },
        passkey: SoftwareAuthenticator,
        nonce: string,
      ): Promise<number> {
        const oidcToken = await issuer.token({ sub: newSubject(), nonce });
        const body = caller.submitBody('createOauthProviders', { userId, oauthProviders: [providerParams(oidcToken)] });
        return (await sendWithPasskey(caller, passkey, caller.submitPath('createOauthProviders'), body)).status;
      }

      test('oauth_login names the nonce that it expects', async () => {
        const { caller } = await tenant();
        const { key, params } = await loginParams(issuer, newSubject());
        const oidcToken = await issuer.token({ sub: newSubject(), nonce: 'another' });
        const answer = await caller.submit('oauthLogin', { ...params, oidcToken });
        expect(answer.status).toBe(400);
        expect(JSON.stringify(answer.body)).toContain(nonceFor(key.publicKey));
      });
    },
    { config: { oidcIssuers: [trust(issuer.url)] } },
  );
}
