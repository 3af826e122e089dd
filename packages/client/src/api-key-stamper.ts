import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { toBase64url } from './base64url.ts';
import { curveKeys, type StampScheme, stampSchemes } from './stamp-schemes.ts';
import type { Stamp, Stamper } from './stamper.ts';

export interface ApiKeyStamperOptions {
  /** Hexadecimal: 33 bytes compressed, or 32 bytes for ed25519. */
  readonly apiPublicKey: string;
  /** Hexadecimal, 32 bytes. */
  readonly apiPrivateKey: string;
  /** Derived from the key pair by default. Set it to use EIP-191 with a secp256k1 key. */
  readonly scheme?: StampScheme;
}

/** Stamps bodies with an API key, in browsers and in Node. The constructor throws if the two halves of the key do not match. */
export class ApiKeyStamper implements Stamper {
  readonly apiPublicKey: string;
  readonly scheme: StampScheme;
  // SECURITY: a private field appears in no JSON, no log line and no spread copy of this object.
  readonly #privateKey: Uint8Array;

  constructor({ apiPublicKey, apiPrivateKey, scheme }: ApiKeyStamperOptions) {
    this.apiPublicKey = apiPublicKey.toLowerCase();
    this.#privateKey = readPrivateKey(apiPrivateKey);
    this.scheme = schemeOf(this.apiPublicKey, this.#privateKey, scheme);
  }

  /** The `X-Stamp` header for a body. Send the body byte for byte as given here. */
  async stamp(body: string): Promise<Stamp> {
    const signature = bytesToHex(stampSchemes[this.scheme].sign(utf8ToBytes(body), this.#privateKey));
    const stamp = JSON.stringify({ publicKey: this.apiPublicKey, scheme: this.scheme, signature });
    return { stampHeaderName: 'X-Stamp', stampHeaderValue: toBase64url(utf8ToBytes(stamp)) };
  }
}

function readPrivateKey(hex: string): Uint8Array {
  // SECURITY: the message must not contain the value.
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) throw new TypeError('The API private key must be 64 hexadecimal digits.');
  return hexToBytes(hex);
}

function schemeOf(publicKeyHex: string, privateKey: Uint8Array, wanted: StampScheme | undefined): StampScheme {
  const candidates = wanted === undefined ? (Object.keys(stampSchemes) as StampScheme[]) : [wanted];
  const scheme = candidates.find((candidate) => publicKeyOn(candidate, privateKey) === publicKeyHex);
  if (scheme !== undefined) return scheme;
  throw new TypeError(
    wanted === undefined
      ? 'The API public key does not belong to the private key on any supported curve.'
      : `The API public key does not belong to the private key on the curve of ${wanted}.`,
  );
}

function publicKeyOn(scheme: StampScheme, privateKey: Uint8Array): string | undefined {
  try {
    return bytesToHex(curveKeys[stampSchemes[scheme].curve].publicKey(privateKey));
  } catch {
    // The number is not a private key on this curve (zero, or beyond the order). It may be one on another curve.
    return undefined;
  }
}
