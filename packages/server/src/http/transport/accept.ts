import type { Socket } from 'node:net';
import { type ClientAddress, peerOf, rememberPeer } from './client-address.ts';
import type { Entrance } from './entrance.ts';

/** Counts a connection of a peer. Returns its release, or undefined if there are too many. May close another one. */
export type AdmitConnection = (peer: ClientAddress, connection: Socket) => (() => void) | undefined;

export interface AcceptOptions {
  readonly admit?: AdmitConnection | undefined;
  /** What comes before HTTP on each connection: a PROXY header, TLS. */
  readonly entrance?: Entrance | undefined;
  /** HTTP begins on this connection. */
  begin(socket: Socket): void;
}

/** The way of a connection from the port to HTTP. */
export interface Acceptor {
  take(socket: Socket): void;
  /** Closes new connections, and those on which HTTP has not begun. */
  stop(): void;
}

export function createAcceptor({ admit = () => () => {}, entrance, begin }: AcceptOptions): Acceptor {
  const entering = new Set<Socket>();
  let isStopping = false;

  /** Counts a connection until it is closed or released. Closes it if there are too many. */
  function count(socket: Socket): (() => void) | undefined {
    const release = admit(peerOf(socket), socket);
    if (release === undefined) socket.destroy();
    else socket.once('close', release);
    return release;
  }

  async function enter(raw: Socket, release: () => void, prepare: Entrance): Promise<void> {
    entering.add(raw);
    const socket = await prepare(raw);
    entering.delete(raw);
    if (socket === undefined) return;
    if (isStopping || socket.destroyed) {
      socket.destroy();
      return;
    }
    // It counts again, as the socket of its requests and for the client that a proxy announced.
    release();
    if (count(socket) !== undefined) begin(socket);
  }

  return {
    take(socket) {
      if (isStopping || !rememberPeer(socket)) {
        socket.destroy();
        return;
      }
      const release = count(socket);
      if (release === undefined) return;
      if (entrance === undefined) begin(socket);
      else void enter(socket, release, entrance);
    },
    stop() {
      isStopping = true;
      for (const socket of entering) socket.destroy();
    },
  };
}
