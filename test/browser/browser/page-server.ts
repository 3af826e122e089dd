import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A separate site: browsers offer passkeys on it, and the API has another origin. */
export interface PageServer {
  readonly origin: string;
  close(): Promise<void>;
}

/** Serves an empty page on localhost, for tests to act in. */
export async function startPageServer(): Promise<PageServer> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A site with passkeys</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
