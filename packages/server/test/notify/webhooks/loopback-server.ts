import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';

/** A server on this machine that counts connections. */
export interface LoopbackServer {
  readonly port: number;
  readonly url: URL;
  connections(): number;
  /** How many connections are open now. */
  open(): number;
  close(): Promise<void>;
}

/** A web server that answers by a listener. */
export function serveHttp(listener: RequestListener): Promise<LoopbackServer> {
  return listen(createHttpServer(listener));
}

/** A server that handles each connection with `answer` once data arrives. */
export function serveTcp(answer: (socket: Socket) => void): Promise<LoopbackServer> {
  return listen(createTcpServer((socket) => socket.once('data', () => answer(socket))));
}

async function listen(server: Server): Promise<LoopbackServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined); // some tests are about clients that hang up
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: new URL(`http://127.0.0.1:${port}/hook?a=b`),
    connections: () => connections,
    open: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
