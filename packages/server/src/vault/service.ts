import { issueCredential, issueOneTimeKey } from './credential-bundle.ts';
import type { OpenParts } from './parts.ts';
import type { VaultService } from './vault.ts';

/** Makes and signs what the service gives out in its own name. */
export function createService(openParts: OpenParts): VaultService {
  const { serviceKeys, eventKey, logKey } = openParts();
  return Object.freeze<VaultService>({
    createDataKey: async (organizationId) => openParts().keyring.create(organizationId),
    async issueCredential(targetPublicKey) {
      openParts();
      return issueCredential(targetPublicKey);
    },
    async issueOneTimeKey() {
      openParts();
      return issueOneTimeKey();
    },
    attest: async (key, message) => openParts().serviceKeys.sign(key, message),
    publicKeys: serviceKeys.publicKeys,
    signEvent: async (message) => openParts().eventKey.sign(message),
    eventKey: eventKey.publicKey,
    signCheckpoint: async (text) => openParts().logKey.sign(text),
    logKey: logKey.publicKey,
    signInKey: (organizationId) => openParts().signInKeys.publicKey(organizationId),
    signSignIn: async (organizationId, request) => openParts().signInKeys.sign(organizationId, request),
  });
}
