import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { encryptOauth2ClientSecret, generateP256KeyPair } from '@turnkey/crypto';
import { checkFields } from '../support/check-fields.js';
import { CLIENT_SECRET } from '../support/issuer.js';
import { nameFor, newSubOrganization } from '../support/world.js';

const provider = 'OAUTH2_PROVIDER_DISCORD';

/** A new client, with its secret encrypted by the published cryptography. */
async function newClient({ serviceKeys }) {
  const encryptedClientSecret = await encryptOauth2ClientSecret(CLIENT_SECRET, serviceKeys.clientSecretReceiver);
  return { provider, clientId: nameFor('client').replace(' ', '-'), encryptedClientSecret };
}

async function newCredential(world) {
  const client = await newClient(world);
  const { oauth2CredentialId } = await world.client.createOauth2Credential(client);
  return { oauth2CredentialId, clientId: client.clientId };
}

/** Exchanges the code of a person for a token that is bound to a new key. */
async function authenticate(world, oauth2CredentialId, key) {
  const { oidcToken } = await world.client.oauth2Authenticate({
    oauth2CredentialId,
    authCode: nameFor('code').replace(' ', '-'),
    redirectUri: 'https://app.example.com/callback',
    codeVerifier: 'v'.repeat(43),
    nonce: createHash('sha256').update(key.publicKey).digest('hex'),
  });
  return oidcToken;
}

/** Clients of OAuth 2 providers, and people who sign in through them. */
export const oauth2 = {
  async createOauth2Credential(world) {
    checkFields(await newCredential(world), { oauth2CredentialId: 'id', clientId: 'text' });
  },

  async getOauth2Credential(world) {
    const { oauth2CredentialId, clientId } = await newCredential(world);
    const { oauth2Credential: shown } = await world.client.getOauth2Credential({ oauth2CredentialId });
    assert.deepEqual([shown.provider, shown.clientId, shown.encryptedClientSecret], [provider, clientId, '']);
  },

  async listOauth2Credentials(world) {
    const { oauth2CredentialId: id } = await newCredential(world);
    const { oauth2Credentials } = await world.client.listOauth2Credentials({});
    assert.ok(oauth2Credentials.some(({ oauth2CredentialId }) => oauth2CredentialId === id));
  },

  async updateOauth2Credential(world) {
    const { oauth2CredentialId } = await newCredential(world);
    const client = await newClient(world);
    await world.client.updateOauth2Credential({ oauth2CredentialId, ...client });
    const { oauth2Credential } = await world.client.getOauth2Credential({ oauth2CredentialId });
    assert.equal(oauth2Credential.clientId, client.clientId);
  },

  async deleteOauth2Credential(world) {
    const { oauth2CredentialId } = await newCredential(world);
    await world.client.deleteOauth2Credential({ oauth2CredentialId });
    await assert.rejects(world.client.getOauth2Credential({ oauth2CredentialId }), /No such OAuth 2 credential/);
  },

  async oauth2Authenticate(world) {
    const { oauth2CredentialId } = await newCredential(world);
    const key = generateP256KeyPair();
    const oidcToken = await authenticate(world, oauth2CredentialId, key);
    const { id } = await newSubOrganization(world, { user: { oauthProviders: [{ providerName: 'Discord', oidcToken }] } });
    const { session } = await world.client.oauthLogin({ organizationId: id, oidcToken, publicKey: key.publicKey });
    assert.match(session, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  },
};
