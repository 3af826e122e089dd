import { issueCredential, issueOneTimeKey } from './transfers/credential-bundle.ts';
import type { VaultService } from './vault.ts';
import type { RequireOpen } from './vault-state.ts';

/** Makes and signs what the service gives out in its own name. */
export function createService(requireOpen: RequireOpen): VaultService {
  const { serviceKeys, eventKey, logKey } = requireOpen();
  return Object.freeze<VaultService>({
    createDataKey: async (organizationId) => requireOpen().keyring.create(organizationId),
    async issueCredential(targetPublicKey) {
      requireOpen();
      return issueCredential(targetPublicKey);
    },
    async issueOneTimeKey() {
      requireOpen();
      return issueOneTimeKey();
    },
    attest: async (key, message) => requireOpen().serviceKeys.sign(key, message),
    publicKeys: serviceKeys.publicKeys,
    signEvent: async (message) => requireOpen().eventKey.sign(message),
    eventKey: eventKey.publicKey,
    signCheckpoint: async (text) => requireOpen().logKey.sign(text),
    logKey: logKey.publicKey,
    signInKey: (organizationId) => requireOpen().signInKeys.publicKey(organizationId),
    rpcKey: (name) => requireOpen().rpcKeys.publicKey(name),
    signRpc: async (name, operation) => requireOpen().rpcKeys.sign(name, operation),
    signSignIn: async (organizationId, request) => requireOpen().signInKeys.sign(organizationId, request),
  });
}
