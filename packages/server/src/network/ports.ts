import { type AddressInfo, createServer, type Server, type ServerOpts, type Socket } from 'node:net';

/** An address to listen on. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** One or several ports. All of them give their connections to the same receiver. */
export interface Ports {
  /** Starts listening and returns the first port. Rejects with the system's error if one is not available: then none listens. */
  listen(): Promise<number>;
  /** Sets the receiver, and gives it the connections that arrived since `listen`. */
  serve(take: (socket: Socket) => void): void;
  /** Stops listening, and ends connections that no receiver has. */
  close(): void;
}

/** Takes connections, and gives them to the part that serves them. */
export interface Receiver extends Pick<Ports, 'serve' | 'close'> {
  take(socket: Socket): void;
}

/** Connections to keep until there is a receiver. */
const MAX_WAITING = 1_024;

/** Keeps connections until `serve`. */
export function createReceiver(): Receiver {
  let receiver: ((socket: Socket) => void) | undefined;
  let waiting: Socket[] = [];
  return {
    take(socket) {
      if (receiver !== undefined) {
        receiver(socket);
        return;
      }
      // The client may disconnect before there is a receiver.
      socket.on('error', () => socket.destroy());
      if (waiting.length < MAX_WAITING) waiting.push(socket);
      else socket.destroy();
    },
    serve(take) {
      receiver = take;
      const early = waiting;
      waiting = [];
      for (const socket of early) if (!socket.destroyed) take(socket);
    },
    close() {
      for (const socket of waiting) socket.destroy();
      waiting = [];
    },
  };
}

/** Listens nowhere before `listen`. Connections arrive paused. */
export function createPorts(addresses: readonly [ListenAddress, ...ListenAddress[]], options: ServerOpts): Ports {
  const receiver = createReceiver();
  const servers = addresses.map(() => createServer({ ...options, pauseOnConnect: true }, receiver.take));
  const close = () => {
    for (const server of servers) server.close();
    receiver.close();
  };
  return {
    async listen() {
      try {
        for (const [index, server] of servers.entries()) {
          await new Promise<void>((resolve, reject) => {
            const { host, port } = addresses[index] as ListenAddress;
            const fail = (error: Error) => reject(Object.assign(error, { host, port }));
            server.once('error', fail);
            server.listen({ host, port, backlog: 1024 }, () => {
              server.off('error', fail);
              resolve();
            });
          });
        }
      } catch (error) {
        close();
        throw error;
      }
      const [first] = servers as [Server];
      return (first.address() as AddressInfo).port;
    },
    serve: receiver.serve,
    close,
  };
}
