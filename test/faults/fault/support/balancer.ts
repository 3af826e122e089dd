import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

const CHECK_MS = 100;

/** One address in front of several nodes. */
export interface Balancer {
  readonly url: string;
  add(url: string): Promise<void>;
  remove(url: string): void;
  close(): void;
}

/** A balancer that asks each node whether it is ready, sends requests to the ready ones in turn, and tries nothing twice. */
export async function startBalancer(): Promise<Balancer> {
  const nodes = new Map<string, boolean>();
  let turn = 0;
  const check = async (url: string) => {
    const ready = await fetch(new URL('/readyz', url)).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (nodes.has(url)) nodes.set(url, ready);
  };
  const timer = setInterval(() => {
    for (const url of nodes.keys()) void check(url);
  }, CHECK_MS);
  const server = createServer((incoming, outgoing) => {
    const ready = [...nodes].filter(([, isReady]) => isReady).map(([url]) => url);
    const chosen = ready[turn++ % ready.length];
    if (chosen === undefined) {
      outgoing.writeHead(502).end();
      return;
    }
    const { method, headers, url: path } = incoming;
    const passed = httpRequest(new URL(path ?? '/', chosen), { method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(passed);
  });
  // Longer than clients keep an idle connection: one that ends as a request arrives would look like a fault.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async add(url: string) {
      nodes.set(url, false);
      await check(url);
    },
    remove: (url: string) => void nodes.delete(url),
    close() {
      clearInterval(timer);
      server.closeAllConnections();
      server.close();
    },
  };
}
