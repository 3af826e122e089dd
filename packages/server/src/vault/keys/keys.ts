import type { RawSignature, SigningRequest } from '@countersign/chains';
import { createSlices } from '../../admission/index.ts';
import { generatePrivateKey } from '../curves/curve-keys.ts';
import { purposes } from '../envelope.ts';
import { SignatureError } from '../errors.ts';
import type { VaultKeys } from '../vault.ts';
import type { RequireOpen, VaultState } from '../vault-state.ts';
import { derivePublicKeys } from './derive.ts';
import { Secret } from './secret.ts';
import type { SigningKey } from './signing-keys.ts';
import { generateWalletSecret, isMnemonicLength, seedWithin } from './wallet-secret.ts';

/** Signatures per slice, if the signer verifies in batches. */
const BATCH_SIZE = 32;
/** Signatures per slice otherwise: the slowest engine takes milliseconds per signature. */
const SLOW_BATCH_SIZE = 4;

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
      const state = requireOpen();
      const { signingKeys } = state;
      if (requests.length === 1) {
        const cached = signingKeys.cached(organizationId, reference, publicKey);
        if (cached !== undefined) return signChecked(state, cached, requests);
      }
      return signingKeys.use(organizationId, reference, publicKey, (key) => signAll(state, key, requests));
    },
  });
}

async function signAll(state: VaultState, key: SigningKey, requests: readonly SigningRequest[]): Promise<RawSignature[]> {
  const signatures: RawSignature[] = [];
  const step = key.signer.verifyAll === undefined ? SLOW_BATCH_SIZE : BATCH_SIZE;
  const endSlice = createSlices(key.organizationId);
  for (let done = 0; done < requests.length; done += step) {
    await endSlice();
    signatures.push(...signChecked(state, key, requests.slice(done, done + step)));
  }
  return signatures;
}

/** INVARIANT: no signature leaves the vault without verification. */
function signChecked(
  { signingKeys, onSigned }: VaultState,
  { organizationId, reference, signer }: SigningKey,
  requests: readonly SigningRequest[],
): RawSignature[] {
  const signatures = requests.map(signer.sign);
  if (onSigned !== undefined) signatures.forEach(onSigned);
  const isValid =
    signer.verifyAll?.(requests, signatures) ??
    requests.every((request, index) => signer.verify(request, signatures[index] as RawSignature));
  if (isValid && signatures.length === requests.length) return signatures;
  // The key in memory may be corrupt: the next use loads it again.
  signingKeys.forget(organizationId, reference.id);
  throw new SignatureError(
    organizationId,
    reference.id,
    `a signature by key ${reference.id} did not verify and was not released`,
  );
}
