import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { contextOptions, type TlsFiles, type TlsSettings } from './tls-files.ts';

/** Completes TLS handshakes. */
export interface TlsHandshakes {
  /** Resolves with the encrypted connection; with undefined if the handshake failed: then the connection is closed. */
  secure(raw: Socket): Promise<TLSSocket | undefined>;
  /** New connections use these certificates and settings. */
  reload(files: TlsFiles, settings: TlsSettings): void;
}

/** Serves nothing itself: every connection is given to `secure`. */
export function createTlsHandshakes(files: TlsFiles, settings: TlsSettings): TlsHandshakes {
  const waiting = new Map<string, (secured: TLSSocket | undefined) => void>();
  let acceptor = createAcceptor(files, settings, finish);

  function finish(secured: TLSSocket): void {
    const resolve = waiting.get(nameOf(secured));
    if (resolve === undefined) secured.destroy();
    else resolve(secured);
  }

  return {
    secure(raw) {
      const name = nameOf(raw);
      return new Promise((resolve) => {
        const settle = (secured: TLSSocket | undefined) => {
          waiting.delete(name);
          raw.off('close', onClose);
          if (secured !== undefined) {
            // Node resets plain connections only.
            secured.resetAndDestroy = () => {
              raw.resetAndDestroy();
              return secured;
            };
          }
          resolve(secured);
        };
        const onClose = () => settle(undefined);
        raw.once('close', onClose);
        waiting.set(name, settle);
        acceptor.emit('connection', raw);
      });
    },
    reload(next, nextSettings) {
      acceptor = createAcceptor(next, nextSettings, finish);
    },
  };
}

/** The addresses and ports of both ends: no two open connections share them. */
function nameOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}

function createAcceptor(files: TlsFiles, settings: TlsSettings, finish: (secured: TLSSocket) => void): Server {
  const acceptor = createServer({
    ...contextOptions(files, settings),
    // SECURITY: D599: every connection proves its certificate again, so that a reload ends what an earlier authority allowed. And no
    // client makes the server negotiate again on an open connection.
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
    ALPNProtocols: ['http/1.1'],
    requestCert: files.clientCa !== undefined,
    rejectUnauthorized: settings.tlsClientAuth === 'required',
    // The caller of `secure` enforces a deadline for the whole handshake.
    handshakeTimeout: 0,
  });
  acceptor.on('secureConnection', (secured) => {
    // SECURITY: D598: a certificate is optional, a wrong one is not.
    const isWrong = files.clientCa !== undefined && !secured.authorized && secured.getPeerX509Certificate() !== undefined;
    if (isWrong) secured.destroy();
    else finish(secured);
  });
  // Bytes that are not TLS, unknown versions, missing certificates: Node closes the connection.
  acceptor.on('tlsClientError', (_error, secured) => void secured.destroy());
  return acceptor;
}
