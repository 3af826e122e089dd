import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that adds a path before the service, as operators put one in front of it. */
export async function startPrefixProxy(serviceUrl: string, prefix: string): Promise<{ origin: string; close(): Promise<void> }> {
  const { hostname, port } = new URL(serviceUrl);
  const server = createServer((incoming, outgoing) => {
    if (!incoming.url?.startsWith(`${prefix}/`)) return outgoing.writeHead(404).end();
    const { method, headers } = incoming;
    const onward = request({ hostname, port, method, headers, path: incoming.url.slice(prefix.length) }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
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
