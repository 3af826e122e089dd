import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface PrefixProxy {
  readonly origin: string;
  /** Changes the text of one file from now on, as a newer release would. */
  alter(path: string, change: (text: string) => string): void;
  /** Holds every response back until the returned function is called, as a slow network would. */
  stall(): () => void;
  /** Cuts every connection from now on, as a tunnel would, or ends that. */
  cut(isCut: boolean): void;
  close(): Promise<void>;
}

/** A proxy that adds a path before the service, as operators put one in front of it. */
export async function startPrefixProxy(serviceUrl: string, prefix: string): Promise<PrefixProxy> {
  const { hostname, port } = new URL(serviceUrl);
  const changes = new Map<string, (text: string) => string>();
  let released = Promise.resolve();
  let isCut = false;
  const server = createServer((incoming, outgoing) => {
    if (isCut) return incoming.destroy();
    if (!incoming.url?.startsWith(`${prefix}/`)) return outgoing.writeHead(404).end();
    const { method } = incoming;
    const change = changes.get(incoming.url.slice(prefix.length));
    // A text that is to be altered must come whole and as it is.
    const headers = change === undefined ? incoming.headers : { host: incoming.headers.host ?? '' };
    const onward = request({ hostname, port, method, headers, path: incoming.url.slice(prefix.length) }, async (response) => {
      await released;
      if (change !== undefined) return void answerAltered(response, outgoing, change);
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    alter: (path, change) => void changes.set(path, change),
    stall() {
      let release = () => {};
      released = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    cut(next) {
      isCut = next;
      if (isCut) server.closeAllConnections();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answerAltered(
  response: IncomingMessage,
  outgoing: ServerResponse,
  change: (text: string) => string,
): Promise<void> {
  const { 'content-length': _, etag: __, ...headers } = response.headers;
  outgoing.writeHead(response.statusCode ?? 502, headers).end(change(await text(response)));
}
