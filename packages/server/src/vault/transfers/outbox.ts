import { purposes, unseal } from '../envelope.ts';
import { Secret } from '../keys/secret.ts';
import type { VaultOutbox } from '../vault.ts';
import type { RequireOpen } from '../vault-state.ts';

/** Seals messages for their row in the outbox, and opens them to be sent. */
export function createOutbox(requireOpen: RequireOpen): VaultOutbox {
  return Object.freeze<VaultOutbox>({
    async seal(organizationId, id, message) {
      const { keyring } = requireOpen();
      const secret = new Secret(Buffer.from(message, 'utf8'));
      try {
        return await keyring.seal(organizationId, id, purposes.OUTBOX, secret);
      } finally {
        secret.wipe();
      }
    },

    async open(organizationId, id, ciphertext) {
      return requireOpen().keyring.use(organizationId, (dataKey) => {
        const secret = unseal(dataKey, ciphertext, { organizationId, id, purpose: purposes.OUTBOX });
        const message = Buffer.from(secret.bytes).toString('utf8');
        secret.wipe();
        return message;
      });
    },
  });
}
