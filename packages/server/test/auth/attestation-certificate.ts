import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A certificate in DER and its private key. */
export interface Certified {
  readonly certificate: Buffer;
  readonly privateKey: KeyObject;
}

interface Options {
  /** Who signs it; the certificate itself where nobody else does. */
  readonly issuer?: { readonly commonName: string; readonly privateKey: KeyObject };
  readonly commonName?: string;
  readonly ca?: boolean;
  /** Written into the extension of WebAuthn section 8.2.1. */
  readonly aaguid?: Uint8Array;
  /** The last moment of its validity, as a UTCTime. */
  readonly notAfter?: string;
}

/** A manufacturer's attestation key with a certificate in the form of WebAuthn section 8.2.1. */
export function attestationCertificate({
  issuer,
  commonName = 'Example key',
  ca = false,
  aaguid,
  notAfter = '491231235959Z',
}: Options = {}): Certified {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
  const validity = sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from(notAfter)));
  const isCa = ca ? [der(0x01, Buffer.of(0xff))] : [];
  const basicConstraints = sequence(oid('551d13'), der(0x01, Buffer.of(0xff)), der(0x04, sequence(...isCa)));
  const model = aaguid && sequence(oid('2b0601040182e51c010104'), der(0x04, der(0x04, Buffer.from(aaguid))));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    ecdsaWithSha256,
    distinguishedName(issuer?.commonName ?? commonName),
    validity,
    distinguishedName(commonName),
    publicKey.export({ format: 'der', type: 'spki' }),
    der(0xa3, sequence(basicConstraints, ...(model ? [model] : []))),
  );
  const signature = Buffer.concat([Buffer.of(0), sign('sha256', toBeSigned, issuer?.privateKey ?? privateKey)]);
  return { certificate: sequence(toBeSigned, ecdsaWithSha256, der(0x03, signature)), privateKey };
}

/** A maker of authenticators: its root in PEM, and attestation keys for its models. */
export function authenticatorMaker(commonName = 'Example root') {
  const root = attestationCertificate({ commonName, ca: true });
  return {
    root,
    pem: `-----BEGIN CERTIFICATE-----\n${root.certificate.toString('base64')}\n-----END CERTIFICATE-----`,
    certify: (options: Omit<Options, 'issuer'> = {}) =>
      attestationCertificate({ ...options, issuer: { commonName, privateKey: root.privateKey } }),
  };
}

function distinguishedName(commonName: string): Buffer {
  return sequence(
    attribute('550406', der(0x13, Buffer.from('SE'))),
    attribute('55040a', text('Example')),
    attribute('55040b', text('Authenticator Attestation')),
    attribute('550403', text(commonName)),
  );
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

function sequence(...items: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(items));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function text(value: string): Buffer {
  return der(0x0c, Buffer.from(value));
}

function attribute(type: string, value: Buffer): Buffer {
  return der(0x31, sequence(oid(type), value));
}
