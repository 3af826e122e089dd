import { once } from 'node:events';
import { connect } from 'node:net';
import { ask } from '../conversation.ts';
import type { Leftovers } from '../leftovers.ts';

/** Asks for the CPU time so far. */
export interface BareServerOrder {
  readonly kind: 'use';
}

export type BareServerAnswer =
  | { readonly kind: 'listens'; readonly port: number }
  | { readonly kind: 'used'; readonly cpuMicros: number };

/** The floor of sockets: a server that only reads and writes as much as one request and its answer have. */
export interface BareServer {
  /** CPU microseconds of one exchange, over as many connections for as long. */
  cpuMicros(connections: number, seconds: number): Promise<number>;
}

export async function startBareServer(leftovers: Leftovers, requestBytes: number, answerBytes: number): Promise<BareServer> {
  const child = leftovers.fork('./costs/bare-server-process.ts', [`${requestBytes}`, `${answerBytes}`]);
  const [{ port }] = (await once(child, 'message')) as [Extract<BareServerAnswer, { kind: 'listens' }>];
  const request = Buffer.alloc(requestBytes);

  async function used(): Promise<number> {
    const order: BareServerOrder = { kind: 'use' };
    return (await ask<Extract<BareServerAnswer, { kind: 'used' }>>(child, order)).cpuMicros;
  }

  return {
    /** All connections send together and wait for each other, so that each event-loop iteration of the server has the most work. */
    async cpuMicros(connections, seconds) {
      const clients = await Promise.all(Array.from({ length: connections }, () => connectTo(port, answerBytes)));
      const deadline = performance.now() + seconds * 1_000;
      const before = await used();
      let exchanges = 0;
      while (performance.now() < deadline) {
        await Promise.all(clients.map(({ exchange }) => exchange(request)));
        exchanges += connections;
      }
      const after = await used();
      for (const { close } of clients) close();
      return (after - before) / exchanges;
    },
  };
}

interface Client {
  /** Sends a request and waits for its answer. */
  exchange(request: Buffer): Promise<void>;
  close(): void;
}

async function connectTo(port: number, answerBytes: number): Promise<Client> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let missing = 0;
  let done = () => {};
  socket.on('data', (chunk) => {
    missing -= chunk.length;
    if (missing === 0) done();
  });
  return {
    exchange: (request) =>
      new Promise((resolve) => {
        missing = answerBytes;
        done = resolve;
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}
