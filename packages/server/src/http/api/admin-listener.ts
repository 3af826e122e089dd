import type { IncomingMessage, RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { type AnswerPage, pageResponse } from '../pages/page.ts';
import { expectedError } from '../transport/expected-error.ts';
import type { HttpResponse } from '../transport/messages.ts';

/** Answers at the separate address for operators. It has no operations, and pages of other origins cannot read it. Never rejects. */
export function createAdminAnswer(
  pages: ReadonlyMap<string, AnswerPage>,
  log: Pick<Logger, 'error'>,
): (request: IncomingMessage) => Promise<HttpResponse> {
  const empty = (status: number, headers = {}) => ({ status, headers: { ...headers, 'Content-Length': 0 }, body: '' });
  return async (request) => {
    const [path = '/'] = (request.url ?? '/').split('?');
    const page = pages.get(path);
    // Bodies have no meaning here. A request with one ends its connection.
    const close = request.complete ? {} : { Connection: 'close' };
    try {
      if (page === undefined) return empty(404, close);
      const { status, headers, body } = await pageResponse(request, page);
      return { status, headers: { ...headers, ...close }, body };
    } catch (error) {
      const { code } = expectedError(error, log);
      return empty(code === 'METHOD_NOT_ALLOWED' ? 405 : 500, { Connection: 'close' });
    }
  };
}

/** Serves the pages of that address in the process of the keys. */
export function createAdminListener(pages: ReadonlyMap<string, AnswerPage>, log: Pick<Logger, 'error'>): RequestListener {
  const answer = createAdminAnswer(pages, log);
  return async (request, response) => {
    const { status, headers, body } = await answer(request);
    response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
  };
}
