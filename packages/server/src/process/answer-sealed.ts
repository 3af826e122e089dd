import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import type { Config } from '../config/settings.ts';
import type { AnswerPage } from '../http/pages/page.ts';
import type { Ports } from '../network/ports.ts';
import { openTransport } from './transport.ts';

/** Connections that are answered at the same time. Further ones are closed. */
const MAX_CONNECTIONS = 256;
const SEALED = 'sealed: the service starts when enough shares of the root key are given\n';

/** Answers while the process waits for shares: 503 with the reason, or 200 at `/healthz`. `close` does not close the ports. */
export function answerSealed(config: Config, ports: Ports, log: Logger): { close(): Promise<void> } {
  let connections = 0;
  const answerTo = (path = '') => (path === '/healthz' ? { status: 200, body: 'ok\n' } : { status: 503, body: SEALED });
  const listen: RequestListener = (request, response) => {
    const { status, body } = answerTo(request.url);
    const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', 'Retry-After': '5' };
    // A connection that stays open would get this answer from a service that was unsealed since.
    response.writeHead(status, { ...headers, Connection: 'close' }).end(body);
  };
  const page = (path: string): [string, AnswerPage] => [
    path,
    async () => ({ ...answerTo(path), contentType: 'text/plain; charset=utf-8', headers: { Connection: 'close' } }),
  ];
  const transport = openTransport(config, {
    admission: {
      connection() {
        if (connections >= MAX_CONNECTIONS) return undefined;
        connections += 1;
        return () => {
          connections -= 1;
        };
      },
      handshake: () => undefined,
    },
    log,
    listen,
    adminPages: new Map([page('/healthz'), page('/readyz')]),
  });
  ports.serve(transport.take);
  return { close: () => transport.close(0) };
}
