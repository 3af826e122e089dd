import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A self-signed certificate and its key, both as PEM. */
export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

/** An authority that signs certificates of clients. */
export interface TestAuthority extends SelfSigned {
  /** A certificate of a client with this name, and its key. */
  issue(name: string): SelfSigned;
}

const DAY_MS = 86_400_000;

/** Tags of X.690 that a certificate needs. */
const tag = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
};

/** One value in DER: tag, length, content. */
function der(type: number, ...content: readonly (Uint8Array | number)[]): Buffer {
  const body = Buffer.concat(content.map((part) => (typeof part === 'number' ? Buffer.of(part) : part)));
  if (body.length < 0x80) return Buffer.concat([Buffer.of(type, body.length), body]);
  const hex = body.length.toString(16);
  const length = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.of(type, 0x80 | length.length), length, body]);
}

/** An object identifier. Its first two numbers share a byte; the others are written in groups of seven bits. */
function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = rest.flatMap((number) => {
    const groups = [number & 0x7f];
    for (let left = number >> 7; left > 0; left >>= 7) groups.unshift(0x80 | (left & 0x7f));
    return groups;
  });
  return der(tag.oid, Buffer.of(first * 40 + second, ...bytes));
}

const time = (ms: number) => der(tag.utcTime, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));

/** RFC 5280 section 4.2: an extension, critical or not, whose value is DER within octets. */
const extension = (id: string, critical: boolean, value: Buffer) =>
  der(tag.sequence, oid(id), ...(critical ? [der(tag.boolean, 0xff)] : []), der(tag.octets, value));

const isAuthority = extension('2.5.29.19', true, der(tag.sequence, der(tag.boolean, 0xff)));
// digitalSignature (bit 0) and keyCertSign (bit 5); two bits are unused.
const signs = extension('2.5.29.15', true, der(tag.bits, 2, 0b1000_0100));
const usedFor = (id: string) => extension('2.5.29.37', false, der(tag.sequence, oid(id)));
const namesOf = (...addresses: readonly (readonly number[])[]) =>
  der(tag.sequence, der(0x82, Buffer.from('localhost')), ...addresses.map((bytes) => der(0x87, ...bytes)));

/**
 * Creates a certificate for `localhost` and an IPv4 address (RFC 5280, EC P-256, ECDSA with SHA-256). It works as a server certificate,
 * and clients can trust it by listing it as an authority.
 */
export function selfSigned(address: readonly number[] = [127, 0, 0, 1]): SelfSigned {
  const server = usedFor('1.3.6.1.5.5.7.3.1');
  return certificate('localhost', [isAuthority, signs, server, extension('2.5.29.17', false, namesOf(address))]);
}

/** Creates an authority for certificates of clients. */
export function authority(name = 'Clients'): TestAuthority {
  const own = certificate(name, [isAuthority, signs]);
  return { ...own, issue: (client) => certificate(client, [usedFor('1.3.6.1.5.5.7.3.2')], { name, key: own.key }) };
}

const named = (text: string) =>
  der(tag.sequence, der(tag.set, der(tag.sequence, oid('2.5.4.3'), der(tag.utf8, Buffer.from(text)))));

/** A certificate that its issuer signs, or its own key. */
function certificate(
  subject: string,
  parts: readonly Buffer[],
  issuer?: { readonly name: string; readonly key: string },
): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(tag.sequence, oid('1.2.840.10045.4.3.2'));
  const extensions = der(tag.sequence, ...parts);
  const toBeSigned = der(
    tag.sequence,
    der(0xa0, der(tag.integer, 2)),
    der(tag.integer, 0x01, randomBytes(8)),
    algorithm,
    named(issuer?.name ?? subject),
    der(tag.sequence, time(Date.now() - DAY_MS), time(Date.now() + DAY_MS)),
    named(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', toBeSigned, issuer?.key ?? privateKey);
  const lines = der(tag.sequence, toBeSigned, algorithm, der(tag.bits, 0, signature))
    .toString('base64')
    .replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}
