import { generatePrivateKey } from '../curves/curve-keys.ts';
import { purposes } from '../envelope.ts';
import type { VaultKeys } from '../vault.ts';
import type { RequireOpen } from '../vault-state.ts';
import { derivePublicKeys } from './derive.ts';
import { Secret } from './secret.ts';
import { generateWalletSecret, isMnemonicLength, seedWithin } from './wallet-secret.ts';

/** Makes and uses the private keys and wallets of organizations. */
export function createKeys(requireOpen: RequireOpen): VaultKeys {
  return Object.freeze<VaultKeys>({
    async generatePrivateKey(organizationId, privateKeyId, curve) {
      const { keyring, curves } = requireOpen();
      const keys = curves[curve];
      const secret = new Secret(generatePrivateKey(keys));
      try {
        const ciphertext = await keyring.seal(organizationId, privateKeyId, purposes[curve], secret);
        return { publicKey: keys.publicKey(secret.bytes), ciphertext };
      } finally {
        secret.wipe();
      }
    },

    async generateWallet(organizationId, walletId, mnemonicLength, accounts, owner = organizationId) {
      const { keyring, curves } = requireOpen();
      if (!isMnemonicLength(mnemonicLength))
        throw new RangeError(`a recovery phrase has 12, 15, 18, 21 or 24 words, not ${mnemonicLength}`);
      const secret = await generateWalletSecret(mnemonicLength);
      try {
        const publicKeys = await derivePublicKeys(curves, seedWithin(secret), accounts, owner);
        return { ciphertext: await keyring.seal(organizationId, walletId, purposes.WALLET, secret), publicKeys };
      } finally {
        secret.wipe();
      }
    },

    async deriveAccounts(organizationId, walletId, accounts) {
      const { signingKeys, curves } = requireOpen();
      return signingKeys.withSecret(organizationId, walletId, purposes.WALLET, (secret) =>
        derivePublicKeys(curves, seedWithin(secret), accounts, organizationId),
      );
    },

    async sign(organizationId, reference, publicKey, requests) {
      return requireOpen().signingKeys.sign(organizationId, reference, publicKey, requests);
    },
  });
}
