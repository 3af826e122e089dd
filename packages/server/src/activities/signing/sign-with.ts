import type { RawSignature, SigningRequest } from '@countersign/chains';
import type { SigningKey } from '../../organizations/resources.ts';
import type { RunContext } from '../../pipeline/executor.ts';

/** Has the vault sign with a key of the organization. */
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
  return vault.keys.sign(organization.id, reference, Buffer.from(body.publicKey, 'hex'), requests);
}

/** A signature as the wire shows it. */
export function toWireSignature({ bytes, recovery }: RawSignature): { r: string; s: string; v: string } {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
  return { r: hex.slice(0, 64), s: hex.slice(64), v: recovery === 0 ? '00' : '01' };
}
