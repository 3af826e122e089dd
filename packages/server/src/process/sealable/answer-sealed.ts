import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { ServiceError } from '@countersign/contract';
import type { Logger } from 'pino';
import { createConnectionLimit } from '../../admission/connection-limit.ts';
import { senderOf } from '../../admission/flow.ts';
import type { Config } from '../../config/settings.ts';
import { dialectsAt } from '../../dialects/index.ts';
import type { AnswerPage } from '../../http/pages/page.ts';
import type { Ports } from '../../network/ports.ts';
import type { Custody } from '../../vault/root-key/providers/shares/custody.ts';
import { UNSEAL_PATH } from '../../vault/root-key/providers/shares/unseal-https.ts';
import { openTransport } from '../transport.ts';
import { type ShareAnswer, takeShare } from './take-share.ts';

/** Connections that are answered at the same time. */
const MAX_CONNECTIONS = 256;
const MAX_PER_ADDRESS = 32;
const SEALED =
  "sealed: the service starts when enough shares of the root key are given. Operators give them with 'countersign unseal'.";

/** The responses of a sealed service. Callers of operations get an error of their dialect. */
function createAnswers({ compatRoot }: Config): (path?: string) => ShareAnswer {
  const dialects = [...dialectsAt(compatRoot)].sort((one, other) => other.basePath.length - one.basePath.length);
  return (path = '') => {
    if (path === '/healthz') return { status: 200, body: 'ok\n' };
    const dialect = dialects.find(({ basePath }) => path.startsWith(`${basePath}/public/`));
    if (dialect === undefined) return { status: 503, body: `${SEALED}\n` };
    const { status, body } = dialect.showError(new ServiceError('UNAVAILABLE', SEALED));
    return { status, body: JSON.stringify(body) };
  };
}

/** Answers while the process waits for shares: 503 with the reason, or 200 at `/healthz`. `close` does not close the ports. */
export function answerSealed(config: Config, ports: Ports, log: Logger, custody: Custody): { close(): Promise<void> } {
  const limit = createConnectionLimit({ perAddress: MAX_PER_ADDRESS, total: MAX_CONNECTIONS });
  const answerTo = createAnswers(config);
  const take = takeShare(custody, log);

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // SECURITY: D653: a share is read from an encrypted connection only, and only if the operator wants that.
    const isGiven =
      config.unsealHttps && request.url === UNSEAL_PATH && (request.socket as Partial<TLSSocket>).encrypted === true;
    const { status, body } = isGiven && request.method === 'POST' ? await take(request) : answerTo(request.url);
    const headers = {
      'Content-Type': `${body.startsWith('{') ? 'application/json' : 'text/plain'}; charset=utf-8`,
      'Cache-Control': 'no-store',
      'Retry-After': '5',
      // A connection that stays open would get this answer from a service that was unsealed since.
      Connection: 'close',
    };
    response.writeHead(status, headers).end(body);
  }
  const listen: RequestListener = (request, response) => {
    respond(request, response).catch((error: unknown) => {
      log.error({ err: error }, 'a request to the sealed service failed');
      response.destroy();
    });
  };
  const page = (path: string): [string, AnswerPage] => [
    path,
    async () => ({ ...answerTo(path), contentType: 'text/plain; charset=utf-8', headers: { Connection: 'close' } }),
  ];
  const transport = openTransport(config, {
    // SECURITY: D652: if all connections are used, the address with the most loses its oldest one.
    admission: { connection: (peer, connection) => limit.open(connection, senderOf(peer)), handshake: () => undefined },
    log,
    listen,
    adminPages: new Map([page('/healthz'), page('/readyz')]),
  });
  ports.serve(transport.take);
  return { close: () => transport.close(0) };
}
