import { newRequestBounds, type ParseContext, type RawSignature, type SignerKey, type SigningRequest } from '@countersign/chains';
import { ServiceError } from '@countersign/contract';
import { type PolicySubject, signingContext, subjectOfKey } from '@countersign/judgement';
import { parserEngines } from '../../auth/parser-engines.ts';
import type { SigningKey } from '../../organizations/snapshot/signing-keys.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PlanContext, RunContext } from '../../pipeline/plan/executor.ts';

/** Returns the key that `signWith` identifies. Throws SIGN_WITH_NOT_FOUND, or PRECONDITION_FAILED if the key was disabled. */
export async function keyToSign({ organization, resources }: PlanContext, signWith: string): Promise<SigningKey> {
  const key = await resources.signingKey(organization, signWith);
  if (key.kind === 'privateKey' && key.body.disabled === true) {
    throw new ServiceError('PRECONDITION_FAILED', `Private key ${key.id} is disabled. Sign with another key.`, {
      violations: [{ field: 'signWith', description: 'This key is disabled.' }],
    });
  }
  return key;
}

/** Returns a signing key as policies see it. */
export async function signingSubject({ organization, resources }: PlanContext, key: SigningKey): Promise<PolicySubject> {
  if (key.kind !== 'walletAccount') return subjectOfKey(key);
  return subjectOfKey(key, await resources.walletOf(organization, key));
}

/** Returns the context for parsers of a new request: the organization, the key, the fastest available engines, and the bounds. */
export function parseContext(organization: Snapshot, signer: SignerKey, { key, wallet }: PolicySubject): ParseContext {
  const source = key && { key, wallet };
  return { ...signingContext(organization, signer, source), ...parserEngines, bounds: newRequestBounds };
}

/** Signs with a key of the organization in the vault. */
export function signWithKey(
  { organization, vault, usedKeys }: RunContext,
  key: SigningKey,
  requests: readonly SigningRequest[],
): Promise<readonly RawSignature[]> {
  const { id, body } = key;
  const { curve } = body;
  usedKeys.push(id);
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
