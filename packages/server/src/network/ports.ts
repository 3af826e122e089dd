import { type AddressInfo, createServer, type Server, type ServerOpts, type Socket } from 'node:net';

/** One or several ports of a host, all with the same listener. */
export interface Ports {
  /** Starts listening and returns the first port. Rejects with the system's error if one is not available: then none listens. */
  listen(): Promise<number>;
  close(): void;
}

/** Listens nowhere before `listen`. Leaves out ports that are undefined. */
export function createPorts(
  host: string,
  ports: readonly [number, number | undefined],
  options: ServerOpts,
  take: (socket: Socket) => void,
): Ports {
  const wanted = ports.filter((port) => port !== undefined);
  const servers = wanted.map(() => createServer(options, take));
  const close = () => {
    for (const server of servers) server.close();
  };
  return {
    async listen() {
      try {
        for (const [index, server] of servers.entries()) {
          await new Promise<void>((resolve, reject) => {
            const fail = (error: Error) => reject(Object.assign(error, { port: wanted[index] }));
            server.once('error', fail);
            server.listen({ host, port: wanted[index], backlog: 1024 }, () => {
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
    close,
  };
}
