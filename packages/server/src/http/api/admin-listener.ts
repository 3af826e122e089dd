import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { type AnswerPage, pageResponse } from '../pages/page.ts';
import { expectedError } from '../transport/expected-error.ts';

/** Serves the pages of the separate address for operators. It has no operations, and pages of other origins cannot read it. */
export function createAdminListener(pages: ReadonlyMap<string, AnswerPage>, log: Pick<Logger, 'error'>): RequestListener {
  return async (request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?');
    const page = pages.get(path);
    // Bodies have no meaning here. A request with one ends its connection.
    const close = request.complete ? {} : { Connection: 'close' };
    try {
      if (page === undefined) {
        response.writeHead(404, { ...close, 'Content-Length': 0 }).end();
        return;
      }
      const { status, headers, body } = await pageResponse(request, page);
      response.writeHead(status, { ...headers, ...close }).end(request.method === 'HEAD' ? undefined : body);
    } catch (error) {
      const { code } = expectedError(error, log);
      const status = code === 'METHOD_NOT_ALLOWED' ? 405 : 500;
      if (!response.headersSent) response.writeHead(status, { Connection: 'close', 'Content-Length': 0 }).end();
    }
  };
}
