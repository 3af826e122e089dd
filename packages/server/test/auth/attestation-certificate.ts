import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A manufacturer's attestation key with a self-signed certificate in the form of WebAuthn section 8.2.1. */
export function attestationCertificate(): { readonly certificate: Buffer; readonly privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
  const name = sequence(
    attribute('550406', der(0x13, Buffer.from('SE'))),
    attribute('55040a', text('Example')),
    attribute('55040b', text('Authenticator Attestation')),
    attribute('550403', text('Example key')),
  );
  const validity = sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z')));
  const basicConstraints = sequence(sequence(oid('551d13'), der(0x01, Buffer.of(0xff)), der(0x04, sequence())));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    der(0xa3, basicConstraints),
  );
  const signature = Buffer.concat([Buffer.of(0), sign('sha256', toBeSigned, privateKey)]);
  return { certificate: sequence(toBeSigned, ecdsaWithSha256, der(0x03, signature)), privateKey };
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
