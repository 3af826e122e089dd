import { purposes } from '../envelope.ts';
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
      const binding = { organizationId, id, purpose: purposes.OUTBOX };
      return requireOpen().keyring.open(ciphertext, binding, ({ bytes }) => Buffer.from(bytes).toString('utf8'));
    },
  });
}
