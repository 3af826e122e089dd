import type { RawSignature, SigningRequest } from '@countersign/chains';
import type { SigningKey } from '../../organizations/snapshot/resources.ts';
import type { RunContext } from '../../pipeline/plan/executor.ts';

/** Signs with a key of the organization in the vault. */
export function signWithKey(
  { organization, vault }: RunContext,
  key: SigningKey,
  requests: readonly SigningRequest[],
): Promise<readonly RawSignature[]> {
  const { id, body } = key;
  const { curve } = body;
  const reference =
    key.kind === 'privateKey'
      ? { kind: 'privateKey' as const, id, curve }
      : { kind: 'account' as const, id, curve, walletId: key.body.walletId, path: key.body.path };
  return vault.keys.sign(organization.id, reference, publicKeyOf(key), requests);
}

const publicKeys = new WeakMap<SigningKey, Uint8Array>();

/** Returns the stored public key in bytes. Keys are immutable, so the bytes are cached. */
function publicKeyOf(key: SigningKey): Uint8Array {
  const known = publicKeys.get(key);
  if (known !== undefined) return known;
  const bytes = Buffer.from(key.body.publicKey, 'hex');
  publicKeys.set(key, bytes);
  return bytes;
}

/** Converts a signature to its wire format. */
export function toWireSignature({ bytes, recovery }: RawSignature): { r: string; s: string; v: string } {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
  return { r: hex.slice(0, 64), s: hex.slice(64), v: recovery === 0 ? '00' : '01' };
}
