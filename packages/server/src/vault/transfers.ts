import type { Curve, MnemonicLanguage } from '@countersign/chains';
import type { KeysByCurve } from './curves/by-curve.ts';
import { generatePrivateKey } from './curves/curve-keys.ts';
import { derivePublicKeys } from './derive.ts';
import { purposes, seal, type TargetUse, unseal } from './envelope.ts';
import { type HpkeMessage, openWith, sealTo } from './hpke.ts';
import type { Keyring } from './keyring.ts';
import { uncompressed } from './p256-point.ts';
import { Secret } from './secret.ts';
import type { SigningKeys } from './signing-keys.ts';
import type { AccountDerivation, Exported, Imported, KeyReference } from './vault.ts';
import { readWalletSecret, seedWithin, writtenPhrase } from './wallet-secret.ts';

/** Moves secrets in and out of the vault: always encrypted, to a key of the other side or from one that the vault made for it. */
export class Transfers {
  readonly #keyring: Keyring;
  readonly #keys: SigningKeys;
  readonly #curves: KeysByCurve;

  constructor(keyring: Keyring, keys: SigningKeys, curves: KeysByCurve) {
    this.#keyring = keyring;
    this.#keys = keys;
    this.#curves = curves;
  }

  async createTarget(organizationId: string, targetId: string, use: TargetUse) {
    const { CURVE_P256: keys } = this.#curves;
    const privateKey = new Secret(generatePrivateKey(keys));
    try {
      const publicKey = uncompressed(keys.publicKey(privateKey.bytes));
      return { publicKey, ciphertext: await this.#seal(organizationId, targetId, use, privateKey) };
    } finally {
      privateKey.wipe();
    }
  }

  async openMessage(
    organizationId: string,
    targetId: string,
    sealedTarget: Uint8Array,
    message: HpkeMessage,
  ): Promise<Uint8Array | undefined> {
    const opened = await this.#keyring.use(organizationId, async (dataKey) => {
      const privateKey = unseal(dataKey, sealedTarget, { organizationId, id: targetId, purpose: purposes.MESSAGE });
      try {
        return await this.#openWith(privateKey, message);
      } finally {
        privateKey.wipe();
      }
    });
    return opened?.bytes;
  }

  async importWallet(
    organizationId: string,
    walletId: string,
    targetIds: readonly string[],
    message: HpkeMessage,
    accounts: readonly AccountDerivation[],
  ): Promise<Imported<{ readonly ciphertext: Uint8Array; readonly publicKeys: readonly Uint8Array[] }>> {
    return this.#import(organizationId, targetIds, 'IMPORT_WALLET', message, async (text) => {
      const secret = await readWalletSecret(text.bytes);
      if (secret === undefined) return undefined;
      try {
        const publicKeys = derivePublicKeys(this.#curves, seedWithin(secret), accounts);
        return { ciphertext: await this.#seal(organizationId, walletId, 'WALLET', secret), publicKeys };
      } finally {
        secret.wipe();
      }
    });
  }

  async importPrivateKey(
    organizationId: string,
    privateKeyId: string,
    targetIds: readonly string[],
    message: HpkeMessage,
    curve: Curve,
  ): Promise<Imported<{ readonly ciphertext: Uint8Array; readonly publicKey: Uint8Array }>> {
    const keys = this.#curves[curve];
    return this.#import(organizationId, targetIds, 'IMPORT_PRIVATE_KEY', message, async (privateKey) => {
      if (!keys.isPrivateKey(privateKey.bytes)) return undefined;
      const publicKey = keys.publicKey(privateKey.bytes);
      return { ciphertext: await this.#seal(organizationId, privateKeyId, curve, privateKey), publicKey };
    });
  }

  exportWallet(
    organizationId: string,
    walletId: string,
    targetPublicKey: Uint8Array,
    language?: MnemonicLanguage,
  ): Promise<Exported> {
    return this.#keys.withSecret(organizationId, walletId, purposes.WALLET, async (wallet) => {
      const { text, ownLanguage } = await writtenPhrase(wallet, language);
      try {
        return { message: await sealTo(targetPublicKey, text.bytes), ownLanguage };
      } finally {
        text.wipe();
      }
    });
  }

  exportPrivateKey(
    organizationId: string,
    key: KeyReference,
    publicKey: Uint8Array,
    targetPublicKey: Uint8Array,
  ): Promise<HpkeMessage> {
    return this.#keys.withPrivateKey(organizationId, key, publicKey, ({ bytes }) => sealTo(targetPublicKey, bytes));
  }

  async #import<T>(
    organizationId: string,
    targetIds: readonly string[],
    use: TargetUse,
    message: HpkeMessage,
    take: (plaintext: Secret) => Promise<T | undefined>,
  ): Promise<Imported<T>> {
    const opened = await this.#open(organizationId, targetIds, use, message);
    if (opened === undefined) return { outcome: 'UNREADABLE' };
    const { targetId, plaintext } = opened;
    try {
      const taken = await take(plaintext);
      return taken === undefined ? { outcome: 'UNFIT', targetId } : { outcome: 'TAKEN', targetId, ...taken };
    } finally {
      plaintext.wipe();
    }
  }

  /** The plaintext of a message to one of the targets. Nothing in a message says to which, so each is tried. */
  async #open(
    organizationId: string,
    targetIds: readonly string[],
    use: TargetUse,
    message: HpkeMessage,
  ): Promise<{ readonly targetId: string; readonly plaintext: Secret } | undefined> {
    for (const targetId of targetIds) {
      const plaintext = await this.#keys.withSecret(organizationId, targetId, purposes[use], (privateKey) =>
        this.#openWith(privateKey, message),
      );
      if (plaintext !== undefined) return { targetId, plaintext };
    }
    return undefined;
  }

  #openWith(privateKey: Secret, message: HpkeMessage): Promise<Secret | undefined> {
    return openWith(privateKey, uncompressed(this.#curves.CURVE_P256.publicKey(privateKey.bytes)), message);
  }

  #seal(organizationId: string, id: string, use: keyof typeof purposes, { bytes }: Secret): Promise<Uint8Array> {
    return this.#keyring.use(organizationId, (dataKey) => seal(dataKey, bytes, { organizationId, id, purpose: purposes[use] }));
  }
}
