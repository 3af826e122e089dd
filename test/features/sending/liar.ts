import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '../../support/caller.ts';

export type Liar = Awaited<ReturnType<typeof startLiar>>;

/** A node in front of another one, which changes some of its responses, or closes the connection. */
export async function startLiar(node: { call(method: string, params: readonly unknown[]): Promise<unknown> }) {
  const lies = new Map<string, (result: Json, params: Json) => Json | undefined>();
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', async () => {
      const { id, method, params } = JSON.parse(Buffer.concat(parts).toString());
      asked.push(`${method} ${JSON.stringify(params)}`);
      const answer: Json = await node.call(method, params).then(
        (result) => ({ result }),
        (error: Error) => ({ error: { code: -32000, message: error.message } }),
      );
      const lie = lies.get(method);
      const told = lie === undefined ? answer : lie(answer, params);
      if (told === undefined) {
        request.socket.destroy();
        return;
      }
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...told }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lies,
    asked,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}
