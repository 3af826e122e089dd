import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { createBase58check } from '@scure/base';
import type { GeneratedApiKey } from '../generate-api-key.ts';
import { invalidBundle, openWith, sealTo } from './hpke.ts';
import { readSignedData, toBytes } from './signed-data.ts';

const base58check = createBase58check(sha256);
const COMPRESSED_BYTES = 33;

/** The API key of a session, from the bundle for `targetPrivateKey`. Throws CountersignError `BUNDLE_INVALID`. */
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
    throw invalidBundle('its format is not known', cause);
  }
}

export interface OpenExportOptions {
  readonly exportBundle: string;
  /** The organization that the bundle must come from. */
  readonly organizationId: string;
  readonly targetPrivateKey: string;
  /** The service's `signer` key, see `fetchServiceKeys`. */
  readonly signerPublicKey: string;
}

/**
 * The exported secret: a recovery phrase as UTF-8, followed by a line feed and its passphrase if it has one, or the 32 bytes of
 * a key. Throws CountersignError `BUNDLE_INVALID` for a bundle of another signer or organization, or an altered one.
 */
export async function openExportBundle(options: OpenExportOptions): Promise<Uint8Array> {
  const data = readSignedData(options.exportBundle, options.signerPublicKey);
  if (data.organizationId !== options.organizationId) throw invalidBundle('it comes from another organization');
  const message = { encappedPublic: toBytes(data.encappedPublic), ciphertext: toBytes(data.ciphertext) };
  return openWith(hexToBytes(options.targetPrivateKey), message);
}

export interface SealImportOptions {
  readonly importBundle: string;
  /** The organization and user that the target must be for. */
  readonly organizationId: string;
  readonly userId: string;
  /** The service's `signer` key, see `fetchServiceKeys`. */
  readonly signerPublicKey: string;
  /** A recovery phrase as UTF-8, or the 32 bytes of a key. */
  readonly plaintext: Uint8Array;
}

/** The `encryptedBundle` to submit. Throws CountersignError `BUNDLE_INVALID` for a target of another user. */
export async function sealImportBundle(options: SealImportOptions): Promise<string> {
  const data = readSignedData(options.importBundle, options.signerPublicKey);
  const own = data.organizationId === options.organizationId && data.userId === options.userId;
  if (!own) throw invalidBundle('it is for another user or organization');
  const { encappedPublic, ciphertext } = await sealTo(toBytes(data.targetPublic), options.plaintext);
  return JSON.stringify({ encappedPublic: bytesToHex(encappedPublic), ciphertext: bytesToHex(ciphertext) });
}
