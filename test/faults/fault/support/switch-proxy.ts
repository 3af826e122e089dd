import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A fixed port in front of servers that take turns. */
export interface SwitchProxy {
  readonly port: number;
  /** Where new connections go. Those that are open are cut, and nothing is held back any more. */
  lead(port: number): void;
  /** Holds back whatever the server sends from now on, as a slow network does. */
  holdBack(): void;
  close(): Promise<void>;
}

/** Starts a proxy in front of a local port. */
export async function createSwitchProxy(): Promise<SwitchProxy> {
  const open = new Set<Socket>();
  let target = 0;
  let held = false;
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', cut).on('close', () => {
        open.delete(socket);
        cut();
      });
    }
    client.on('data', (data) => upstream.write(data));
    upstream.on('data', (data) => held || client.write(data));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cutAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    lead(port) {
      target = port;
      held = false;
      cutAll();
    },
    holdBack() {
      held = true;
    },
    async close() {
      cutAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
