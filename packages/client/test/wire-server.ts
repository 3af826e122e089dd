import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One received request. */
export interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Response: a status with a body, or `drop` to close the connection. */
export type Answer = { readonly status: number; readonly body: string | object } | 'drop';

/** A server that records requests and sends the responses of the test. */
export async function startWire(answer: (request: Arrived, count: number) => Answer) {
  const arrived: Arrived[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const one = { method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') };
    arrived.push(one);
    const given = answer(one, arrived.length);
    if (given === 'drop') return void request.socket.destroy();
    const text = typeof given.body === 'string' ? given.body : JSON.stringify(given.body);
    response.writeHead(given.status, { 'Content-Type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    arrived,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
