import { type Alarm, tampered } from '../organizations/snapshots.ts';
import { SignatureFault, VaultFault } from '../vault/faults.ts';
import type { Vault } from '../vault/vault.ts';

/**
 * A vault that takes a secret which does not open for what it is: stored state that somebody changed. It is refused by that name, with
 * an alarm. A signature that does not pass its own check sounds the alarm as well (D64).
 */
export function guardVault(vault: Vault, alarm: Alarm): Vault {
  let closed = false;

  async function guarded<T>(organizationId: string, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof SignatureFault) alarm(organizationId, error.message);
      // A vault that was closed under a late request has lost nothing but its keys.
      if (error instanceof VaultFault && !closed) throw tampered(alarm, organizationId, error.message, error);
      throw error;
    }
  }

  return {
    createDataKey: (organizationId) => vault.createDataKey(organizationId),
    generatePrivateKey: (organizationId, ...rest) => guarded(organizationId, vault.generatePrivateKey(organizationId, ...rest)),
    generateWallet: (organizationId, ...rest) => guarded(organizationId, vault.generateWallet(organizationId, ...rest)),
    deriveAccounts: (organizationId, ...rest) => guarded(organizationId, vault.deriveAccounts(organizationId, ...rest)),
    sign: (organizationId, ...rest) => guarded(organizationId, vault.sign(organizationId, ...rest)),
    issueCredential: (targetPublicKey) => vault.issueCredential(targetPublicKey),
    issueOneTimeKey: () => vault.issueOneTimeKey(),
    sealOutbox: (organizationId, ...rest) => guarded(organizationId, vault.sealOutbox(organizationId, ...rest)),
    openOutbox: (organizationId, ...rest) => guarded(organizationId, vault.openOutbox(organizationId, ...rest)),
    createTarget: (organizationId, ...rest) => guarded(organizationId, vault.createTarget(organizationId, ...rest)),
    openMessage: (organizationId, ...rest) => guarded(organizationId, vault.openMessage(organizationId, ...rest)),
    importWallet: (organizationId, ...rest) => guarded(organizationId, vault.importWallet(organizationId, ...rest)),
    importPrivateKey: (organizationId, ...rest) => guarded(organizationId, vault.importPrivateKey(organizationId, ...rest)),
    exportWallet: (organizationId, ...rest) => guarded(organizationId, vault.exportWallet(organizationId, ...rest)),
    exportPrivateKey: (organizationId, ...rest) => guarded(organizationId, vault.exportPrivateKey(organizationId, ...rest)),
    attest: (key, message) => vault.attest(key, message),
    serviceKeys: vault.serviceKeys,
    signEvent: (message) => vault.signEvent(message),
    eventKey: vault.eventKey,
    forget: (organizationId, id) => vault.forget(organizationId, id),
    integrity: vault.integrity,
    facts: vault.facts,
    close() {
      closed = true;
      vault.close();
    },
  };
}
