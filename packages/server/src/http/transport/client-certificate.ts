import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

const known = new WeakMap<Socket, string>();

/**
 * The public key of the certificate that a client proved on this connection, in the form of API keys: compressed P-256, in hexadecimal.
 * Empty without a certificate, and for other kinds of keys: no API key has an empty one.
 */
export function certificateKeyOf(socket: Socket): string {
  const found = known.get(socket) ?? keyOf((socket as Partial<TLSSocket>).getPeerX509Certificate?.());
  known.set(socket, found);
  return found;
}

function keyOf(certificate: X509Certificate | undefined): string {
  if (certificate?.publicKey.asymmetricKeyType !== 'ec') return '';
  const { crv, x = '', y = '' } = certificate.publicKey.export({ format: 'jwk' });
  if (crv !== 'P-256') return '';
  // SEC 1 section 2.3.3: the first byte tells whether y is odd.
  const isOdd = ((Buffer.from(y, 'base64url').at(-1) ?? 0) & 1) === 1;
  return `${isOdd ? '03' : '02'}${Buffer.from(x, 'base64url').toString('hex')}`;
}
