import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { createBase58check } from '@scure/base';
import type { GeneratedApiKey } from '../generate-api-key.ts';
import { invalidBundle, openWith, sealTo } from './hpke.ts';
import { readSignedData, toBytes } from './signed-data.ts';

const base58check = createBase58check(sha256);
const COMPRESSED_BYTES = 33;

/** The API key of a session, out of the bundle that came for `targetPrivateKey`. Throws CountersignError `BUNDLE_INVALID`. */
export async function openCredentialBundle(credentialBundle: string, targetPrivateKey: string): Promise<GeneratedApiKey> {
  const privateKey = await openWith(hexToBytes(targetPrivateKey), readMessage(credentialBundle));
  const apiPublicKey = bytesToHex(p256.getPublicKey(privateKey, true));
  return { apiPublicKey, apiPrivateKey: bytesToHex(privateKey), curveType: 'API_KEY_CURVE_P256' };
}

function readMessage(bundle: string) {
  try {
    const bytes = base58check.decode(bundle);
    const encappedPublic = p256.Point.fromBytes(bytes.subarray(0, COMPRESSED_BYTES)).toBytes(false);
    return { encappedPublic, ciphertext: bytes.subarray(COMPRESSED_BYTES) };
  } catch (cause) {
    throw invalidBundle('it is not of a known form', cause);
  }
}

export interface OpenExportOptions {
  readonly exportBundle: string;
  /** The organization that it must come from. */
  readonly organizationId: string;
  readonly targetPrivateKey: string;
  /** The key `signer` of the service: see `fetchServiceKeys`. */
  readonly signerPublicKey: string;
}

/**
 * What an export gave: a recovery phrase as UTF-8, with a passphrase after a line feed if there is one, or the 32 bytes of a key.
 * Throws CountersignError `BUNDLE_INVALID` for a bundle that another key signed, that is of another organization or was altered.
 */
export async function openExportBundle(options: OpenExportOptions): Promise<Uint8Array> {
  const data = readSignedData(options.exportBundle, options.signerPublicKey);
  if (data.organizationId !== options.organizationId) throw invalidBundle('it comes from another organization');
  const message = { encappedPublic: toBytes(data.encappedPublic), ciphertext: toBytes(data.ciphertext) };
  return openWith(hexToBytes(options.targetPrivateKey), message);
}

export interface SealImportOptions {
  readonly importBundle: string;
  /** The organization and the user that the target must be for. */
  readonly organizationId: string;
  readonly userId: string;
  /** The key `signer` of the service: see `fetchServiceKeys`. */
  readonly signerPublicKey: string;
  /** A recovery phrase as UTF-8, or the 32 bytes of a key. */
  readonly plaintext: Uint8Array;
}

/** What to hand in as `encryptedBundle`. Throws CountersignError `BUNDLE_INVALID` for a target that is not this user's. */
export async function sealImportBundle(options: SealImportOptions): Promise<string> {
  const data = readSignedData(options.importBundle, options.signerPublicKey);
  const own = data.organizationId === options.organizationId && data.userId === options.userId;
  if (!own) throw invalidBundle('it is for another user or organization');
  const { encappedPublic, ciphertext } = await sealTo(toBytes(data.targetPublic), options.plaintext);
  return JSON.stringify({ encappedPublic: bytesToHex(encappedPublic), ciphertext: bytesToHex(ciphertext) });
}
