import { connect, type Socket } from 'node:net';

/** A number of connections. Counts those that the server ends. */
export class Crowd {
  readonly sockets: readonly Socket[];
  ended = 0;

  constructor(url: string, size: number, greeting: string) {
    const { hostname, port } = new URL(url);
    this.sockets = Array.from({ length: size }, () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined).once('close', () => this.ended++);
      socket.resume();
      if (greeting !== '') socket.write(greeting);
      return socket;
    });
  }

  leave(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
