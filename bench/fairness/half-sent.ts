import { connect, type Socket } from 'node:net';

/** Opens connections that send a part of a body and stop. Gives what ends them. */
export async function halfSent(
  { host, port }: { readonly host: string; readonly port: number },
  count: number,
  bytes: number,
  from: string,
): Promise<() => void> {
  const head = `POST /public/v1/query/whoami HTTP/1.1\r\nHost: bench\r\nContent-Length: 1000000\r\n\r\n`;
  const part = Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, ' ')]);
  const open = () =>
    new Promise<Socket>((resolve) => {
      const socket = connect({ host, port, localAddress: from });
      socket.on('error', () => undefined).resume();
      socket.once('close', () => resolve(socket));
      socket.write(part, () => resolve(socket));
    });
  const sockets = await Promise.all(Array.from({ length: count }, open));
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}
