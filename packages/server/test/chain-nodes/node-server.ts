import { text } from 'node:stream/consumers';
import { serveHttp } from '../notify/webhooks/loopback-server.ts';

/** A JSON-RPC server on this machine, with the responses of a test. */
export interface NodeServer {
  readonly url: string;
  readonly host: string;
  /** The methods that were called, in order. */
  readonly methods: string[];
  /** The headers of the last request. */
  headers(): Readonly<Record<string, unknown>>;
  connections(): number;
  close(): Promise<void>;
}

/** The result of a call. An object with `error` is sent as the error. */
export type Respond = (method: string, params: unknown) => unknown;

export async function serveNode(respond: Respond): Promise<NodeServer> {
  const methods: string[] = [];
  let headers: Readonly<Record<string, unknown>> = {};
  const server = await serveHttp(async (request, response) => {
    headers = request.headers;
    const { id, method, params } = JSON.parse(await text(request));
    methods.push(method);
    const result = await respond(method, params);
    const isError = typeof result === 'object' && result !== null && 'error' in result;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(isError ? result : { result }) }));
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    host: `127.0.0.1:${server.port}`,
    methods,
    headers: () => headers,
    connections: server.connections,
    close: server.close,
  };
}

/** A node of an Ethereum chain with the results of a table. */
export const ethereumNode = (results: Readonly<Record<string, unknown>>, chainId = '0x1'): Promise<NodeServer> =>
  serveNode((method) =>
    method === 'eth_chainId' ? chainId : (results[method] ?? { error: { code: -32601, message: 'no such method' } }),
  );
