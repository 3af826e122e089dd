import type { RunContext } from '../../pipeline/plan/executor.ts';
import type { HpkeMessage } from '../../vault/transfers/hpke.ts';
import { signedMessage } from '../../vault/transfers/signed-message.ts';

/** Signs an encrypted secret with the key of the service, bound to the organization that exports it. */
export function exportBundle({ organization, vault }: RunContext, { encappedPublic, ciphertext }: HpkeMessage): Promise<string> {
  return signedMessage(vault.service, 'signer', {
    encappedPublic: Buffer.from(encappedPublic).toString('hex'),
    ciphertext: Buffer.from(ciphertext).toString('hex'),
    organizationId: organization.id,
  });
}
