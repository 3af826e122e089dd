import type { KeysByCurve } from '../curves/by-curve.ts';
import { generatePrivateKey } from '../curves/curve-keys.ts';
import { purposes, type TargetUse } from '../envelope.ts';
import { KeyReplaced } from '../keyring.ts';
import { derivePublicKeys } from '../keys/derive.ts';
import { uncompressed } from '../keys/p256-point.ts';
import { Secret } from '../keys/secret.ts';
import { readWalletSecret, seedWithin, writtenPhrase } from '../keys/wallet-secret.ts';
import type { Imported, VaultTransfers } from '../vault.ts';
import type { RequireOpen, VaultState } from '../vault-state.ts';
import { type HpkeMessage, openWith, sealTo } from './hpke.ts';

/** Moves secrets in and out of the vault, always encrypted. */
export function createTransfers(requireOpen: RequireOpen): VaultTransfers {
  return Object.freeze<VaultTransfers>({
    async createTarget(organizationId, targetId, use) {
      const { keyring, curves } = requireOpen();
      const { CURVE_P256: keys } = curves;
      const privateKey = new Secret(generatePrivateKey(keys));
      try {
        const publicKey = uncompressed(keys.publicKey(privateKey.bytes));
        return { publicKey, ciphertext: await keyring.seal(organizationId, targetId, purposes[use], privateKey) };
      } finally {
        privateKey.wipe();
      }
    },

    async openMessage(organizationId, targetId, sealedTarget, message) {
      const { keyring, curves } = requireOpen();
      const binding = { organizationId, id: targetId, purpose: purposes.MESSAGE };
      const opened = await keyring
        .open(sealedTarget, binding, (privateKey) => openMessageWith(curves, privateKey, message))
        .catch((error: unknown) => {
          // Callers keep these for minutes. One from before the last rotation of data keys is used up.
          if (error instanceof KeyReplaced) return undefined;
          throw error;
        });
      return opened?.bytes;
    },

    async importWallet(organizationId, walletId, targetIds, message, accounts) {
      const state = requireOpen();
      return importSecret(state, organizationId, { use: 'IMPORT_WALLET', targetIds, message }, async (text) => {
        const secret = await readWalletSecret(text.bytes);
        if (secret === undefined) return undefined;
        try {
          const publicKeys = await derivePublicKeys(state.curves, seedWithin(secret), accounts, organizationId);
          return { ciphertext: await state.keyring.seal(organizationId, walletId, purposes.WALLET, secret), publicKeys };
        } finally {
          secret.wipe();
        }
      });
    },

    async importPrivateKey(organizationId, privateKeyId, targetIds, message, curve) {
      const state = requireOpen();
      const keys = state.curves[curve];
      return importSecret(state, organizationId, { use: 'IMPORT_PRIVATE_KEY', targetIds, message }, async (privateKey) => {
        if (!keys.isPrivateKey(privateKey.bytes)) return undefined;
        const publicKey = keys.publicKey(privateKey.bytes);
        return { ciphertext: await state.keyring.seal(organizationId, privateKeyId, purposes[curve], privateKey), publicKey };
      });
    },

    async importBytes(organizationId, secretId, targetId, message) {
      const state = requireOpen();
      const delivery = { use: 'IMPORT_SECRET' as const, targetIds: [targetId], message };
      return importSecret(state, organizationId, delivery, async (bytes) =>
        bytes.bytes.length === 0
          ? undefined
          : { ciphertext: await state.keyring.seal(organizationId, secretId, purposes.SECRET, bytes) },
      );
    },

    async importClientSecret(organizationId, secretId, envelope) {
      const { keyring, serviceKeys } = requireOpen();
      const secret = serviceKeys.openClientSecret(envelope);
      if (secret === undefined) return undefined;
      try {
        if (!isClientSecret(secret.bytes)) return undefined;
        return await keyring.seal(organizationId, secretId, purposes.CLIENT_SECRET, secret);
      } finally {
        secret.wipe();
      }
    },

    async readClientSecret(organizationId, secretId) {
      return requireOpen().signingKeys.withSecret(organizationId, secretId, purposes.CLIENT_SECRET, ({ bytes }) =>
        Buffer.from(bytes).toString('utf8'),
      );
    },

    async exportBytes(organizationId, secretId, targetPublicKey) {
      return requireOpen().signingKeys.withSecret(organizationId, secretId, purposes.SECRET, ({ bytes }) =>
        sealTo(targetPublicKey, bytes),
      );
    },

    async checkBytes(organizationId, secretId) {
      await requireOpen().signingKeys.withSecret(organizationId, secretId, purposes.SECRET, () => {});
    },

    async exportWallet(organizationId, walletId, targetPublicKey, language) {
      return requireOpen().signingKeys.withSecret(organizationId, walletId, purposes.WALLET, async (wallet) => {
        const { text, ownLanguage } = await writtenPhrase(wallet, language);
        try {
          return { message: await sealTo(targetPublicKey, text.bytes), ownLanguage };
        } finally {
          text.wipe();
        }
      });
    },

    async exportPrivateKey(organizationId, key, publicKey, targetPublicKey) {
      return requireOpen().signingKeys.withPrivateKey(organizationId, key, publicKey, ({ bytes }) =>
        sealTo(targetPublicKey, bytes),
      );
    },
  });
}

/** RFC 6749 appendix A.2: visible ASCII characters and spaces. */
function isClientSecret(bytes: Uint8Array): boolean {
  return bytes.length > 0 && bytes.length <= 4096 && bytes.every((byte) => byte >= 0x20 && byte <= 0x7e);
}

/** A message, and the targets that it may have been encrypted to. */
interface Delivery {
  readonly use: TargetUse;
  readonly targetIds: readonly string[];
  readonly message: HpkeMessage;
}

/** Opens what was delivered and hands the plaintext to `take`, which gives undefined for bytes that are not such a secret. */
async function importSecret<T>(
  state: VaultState,
  organizationId: string,
  delivery: Delivery,
  take: (plaintext: Secret) => Promise<T | undefined>,
): Promise<Imported<T>> {
  const opened = await openDelivery(state, organizationId, delivery);
  if (opened === undefined) return { outcome: 'UNREADABLE' };
  const { targetId, plaintext } = opened;
  try {
    const taken = await take(plaintext);
    return taken === undefined ? { outcome: 'UNFIT', targetId } : { outcome: 'TAKEN', targetId, ...taken };
  } finally {
    plaintext.wipe();
  }
}

/** The plaintext and its target. A message does not name its target, so each target is tried. */
async function openDelivery(
  { signingKeys, curves }: VaultState,
  organizationId: string,
  { use, targetIds, message }: Delivery,
): Promise<{ readonly targetId: string; readonly plaintext: Secret } | undefined> {
  for (const targetId of targetIds) {
    const plaintext = await signingKeys.withSecret(organizationId, targetId, purposes[use], (privateKey) =>
      openMessageWith(curves, privateKey, message),
    );
    if (plaintext !== undefined) return { targetId, plaintext };
  }
  return undefined;
}

function openMessageWith(curves: KeysByCurve, privateKey: Secret, message: HpkeMessage): Promise<Secret | undefined> {
  return openWith(privateKey, uncompressed(curves.CURVE_P256.publicKey(privateKey.bytes)), message);
}
