import type { RawSignature, SigningRequest } from '@countersign/chains';
import type { SigningKey } from '../../organizations/resources.ts';
import type { RunContext } from '../../pipeline/plan/executor.ts';
import type { Awaitable } from '../../wire/awaitable.ts';

/** Has the vault sign with a key of the organization. */
export function signWithKey(
  { organization, vault }: RunContext,
  key: SigningKey,
  requests: readonly SigningRequest[],
): Awaitable<readonly RawSignature[]> {
  const { id, body } = key;
  const { curve } = body;
  const reference =
    key.kind === 'privateKey'
      ? { kind: 'privateKey' as const, id, curve }
      : { kind: 'account' as const, id, curve, walletId: key.body.walletId, path: key.body.path };
  return vault.keys.sign(organization.id, reference, publicKeyOf(key), requests);
}

const publicKeys = new WeakMap<SigningKey, Uint8Array>();

/** The public key on record, in bytes. A key is never changed, so its bytes are read once. */
function publicKeyOf(key: SigningKey): Uint8Array {
  const known = publicKeys.get(key);
  if (known !== undefined) return known;
  const bytes = Buffer.from(key.body.publicKey, 'hex');
  publicKeys.set(key, bytes);
  return bytes;
}

/** A signature as the wire shows it. */
export function toWireSignature({ bytes, recovery }: RawSignature): { r: string; s: string; v: string } {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
  return { r: hex.slice(0, 64), s: hex.slice(64), v: recovery === 0 ? '00' : '01' };
}
