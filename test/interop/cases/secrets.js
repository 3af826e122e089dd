import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { decryptExportBundle, encryptPrivateKeyToBundle, generateP256KeyPair } from '@turnkey/crypto';
import { checkFields } from '../support/check-fields.js';
import { connectHttp } from '../support/world.js';

const encryptionSuite = 'TRANSPORT_ENCRYPTION_SUITE_ENCLAVE_ENCRYPT_V1';

/** The public key that a target message names. */
function targetOf(message) {
  const { data } = JSON.parse(message);
  return JSON.parse(Buffer.from(data, 'hex').toString()).targetPublic;
}

/** Imports random bytes as a secret. The API client has no method to begin an import; the lower-level client has. */
async function newSecret(world) {
  const { client, organizationId, userId, serviceKeys } = world;
  const { activity } = await connectHttp(world.server).initImportSecrets({
    type: 'ACTIVITY_TYPE_INIT_IMPORT_SECRETS',
    timestampMs: String(Date.now()),
    organizationId,
    parameters: { encryptionSuite, numSecrets: 1 },
  });
  const [message] = activity.result.initImportSecretsResult.enclaveTargetMessages;
  const content = randomBytes(32).toString('hex');
  const secretPayload = await encryptPrivateKeyToBundle({
    privateKey: content,
    keyFormat: 'HEXADECIMAL',
    importBundle: message,
    userId,
    organizationId,
    dangerouslyOverrideSignerPublicKey: serviceKeys.signer,
  });
  const answer = await client.importSecrets({
    secrets: [{ secretPayload, targetPublicKey: targetOf(message), encryptionSuite }],
  });
  return { secretId: answer.secretIds[0], content };
}

/** Secrets, encrypted by the published cryptography on their way. */
export const secrets = {
  async importSecrets(world) {
    checkFields(await newSecret(world), { secretId: 'id', content: 'text' });
  },

  async listSecrets(world) {
    const { secretId } = await newSecret(world);
    const answer = await world.client.listSecrets({});
    assert.ok(answer.secrets.some((each) => each.secretId === secretId));
  },

  async exportSecrets(world) {
    const { secretId, content } = await newSecret(world);
    const { publicKeyUncompressed: targetPublicKey, privateKey: embeddedKey } = generateP256KeyPair();
    const { secretPayloads } = await world.client.exportSecrets({ secrets: [{ secretId, targetPublicKey, encryptionSuite }] });
    const opened = await decryptExportBundle({
      exportBundle: secretPayloads[0],
      embeddedKey,
      organizationId: world.organizationId,
      dangerouslyOverrideSignerPublicKey: world.serviceKeys.signer,
      keyFormat: 'HEXADECIMAL',
      returnMnemonic: false,
    });
    assert.equal(opened, content);
  },
};
