import { createECDH, createPrivateKey, type KeyObject, sign } from 'node:crypto';

/** An API key of the P-256 curve, in hexadecimal. */
export interface ApiKey {
  readonly apiPublicKey: string;
  readonly apiPrivateKey: string;
}

/** Stamps bodies as a client does, but with native code: each window needs thousands of stamps. */
export class Stamper {
  readonly #publicKeyHex: string;
  readonly #key: KeyObject;

  constructor({ apiPublicKey, apiPrivateKey }: ApiKey) {
    this.#publicKeyHex = apiPublicKey;
    const pair = createECDH('prime256v1');
    pair.setPrivateKey(apiPrivateKey, 'hex');
    const point = pair.getPublicKey();
    this.#key = createPrivateKey({
      format: 'jwk',
      key: {
        kty: 'EC',
        crv: 'P-256',
        d: Buffer.from(apiPrivateKey, 'hex').toString('base64url'),
        x: point.subarray(1, 33).toString('base64url'),
        y: point.subarray(33).toString('base64url'),
      },
    });
  }

  /** The `X-Stamp` header of a body. */
  stamp(body: string): string {
    const signature = this.sign(body).toString('hex');
    const stamp = JSON.stringify({ publicKey: this.#publicKeyHex, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature });
    return Buffer.from(stamp).toString('base64url');
  }

  /** The bare signature in DER. */
  sign(body: string): Buffer {
    return sign('sha256', Buffer.from(body), this.#key);
  }
}
