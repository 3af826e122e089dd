import { createDecipheriv, createECDH, type ECDH, hkdfSync, randomBytes, verify } from 'node:crypto';

/** A browser's half of a subscription, and what the browser does with a message (RFC 8291 and RFC 8188, read from the other side). */
export class TestBrowser {
  readonly #ecdh: ECDH;
  readonly auth: Buffer;

  constructor(privateKey?: Buffer, auth: Buffer = randomBytes(16)) {
    this.#ecdh = createECDH('prime256v1');
    if (privateKey === undefined) this.#ecdh.generateKeys();
    else this.#ecdh.setPrivateKey(privateKey);
    this.auth = auth;
  }

  get publicKey(): Buffer {
    return this.#ecdh.getPublicKey();
  }

  /** The keys as `PushSubscription.toJSON` gives them. */
  get keys(): { readonly p256dh: string; readonly auth: string } {
    return { p256dh: this.publicKey.toString('base64url'), auth: this.auth.toString('base64url') };
  }

  /** The text of a message. Throws where it is for another browser, altered, or of more than one record. */
  decrypt(body: Buffer): string {
    const [salt, idLength] = [body.subarray(0, 16), body.readUInt8(20)];
    const [sender, sealed] = [body.subarray(21, 21 + idLength), body.subarray(21 + idLength)];
    if (sealed.length > body.readUInt32BE(16)) throw new Error('more than one record');
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.publicKey, sender]);
    const secret = Buffer.from(hkdfSync('sha256', this.#ecdh.computeSecret(sender), this.auth, info, 32));
    const derived = (label: string, length: number) =>
      Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${label}\0`, length));
    const decipher = createDecipheriv('aes-128-gcm', derived('aes128gcm', 16), derived('nonce', 12));
    decipher.setAuthTag(sealed.subarray(-16));
    const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    const end = padded.findLastIndex((byte) => byte !== 0);
    if (padded[end] !== 2) throw new Error('no delimiter of a last record');
    return padded.subarray(0, end).toString('utf8');
  }
}

/** What a token of RFC 8292 says, after its signature was checked with the key beside it. Throws where it does not verify. */
export function readVapid(header: string): { readonly claims: Readonly<Record<string, unknown>>; readonly key: string } {
  const [, head = '', body = '', signature = '', key = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(header) ?? [];
  const point = Buffer.from(key, 'base64url');
  const part = (start: number) => point.subarray(start, start + 32).toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: part(1), y: part(33) };
  const isGenuine = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key: jwk, format: 'jwk', dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (point.length !== 65 || !isGenuine) throw new Error('the token does not verify');
  const read = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  if (read(head).alg !== 'ES256') throw new Error('not ES256');
  return { claims: read(body), key };
}
