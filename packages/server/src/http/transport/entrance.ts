import type { Socket } from 'node:net';
import { compileBlocks, parseCidr } from '../../network/ip-blocks.ts';
import { announcePeer, type ClientAddress, peerOf } from './client-address.ts';
import { readFirstBytes } from './first-bytes.ts';
import { readProxyHeader } from './proxy-header.ts';
import type { TlsHandshakes } from './tls-handshake.ts';

/** Time for a client to send its PROXY header and to complete the TLS handshake. */
export const ENTRANCE_SECONDS = 10;

/** What comes before HTTP on a connection. */
export interface EntranceOptions {
  /** CIDR blocks of proxies whose connections begin with a PROXY header. Absent without that protocol. */
  readonly proxies?: readonly string[];
  readonly tls?: Pick<TlsHandshakes, 'secure'>;
  /** Waits until a client may begin a TLS handshake. Throws or rejects if it may not. */
  handshake?(client: ClientAddress, isGone: () => boolean): Promise<void> | undefined;
  /** The time for all of it. */
  readonly deadlineMs: number;
}

/** Makes a connection ready for HTTP. Resolves with undefined if that failed: then the connection is closed. Never rejects. */
export type Entrance = (raw: Socket) => Promise<Socket | undefined>;

/** Undefined if HTTP begins immediately. */
export function createEntrance({ proxies, tls, handshake, deadlineMs }: EntranceOptions): Entrance | undefined {
  if (proxies === undefined && tls === undefined) return undefined;
  const isProxy = compileBlocks((proxies ?? []).map(parseCidr));

  async function enter(raw: Socket): Promise<Socket | undefined> {
    const peer = peerOf(raw);
    if (peer !== undefined && isProxy.has(peer) && !(await readAnnounced(raw))) return undefined;
    if (tls === undefined) return raw;
    // SECURITY: D597: the turn begins with the whole first message, so that the cost of the handshake falls into it.
    if ((await readFirstBytes(raw, firstRecord)) === undefined) return undefined;
    const client = peerOf(raw);
    await handshake?.(client, () => raw.destroyed);
    if (raw.destroyed) return undefined;
    const secured = await tls.secure(raw);
    if (secured !== undefined) announcePeer(secured, client);
    return secured;
  }

  return async (raw) => {
    const onError = () => raw.destroy();
    raw.on('error', onError);
    // SECURITY: D596: one deadline, however slowly the bytes arrive.
    const deadline = setTimeout(() => raw.resetAndDestroy(), deadlineMs).unref();
    try {
      const socket = await enter(raw);
      if (socket === undefined) raw.destroy();
      else if (socket === raw) raw.off('error', onError);
      return socket;
    } catch {
      // Not a valid header, not TLS, or too many handshakes: a client that does not speak the protocol understands no response.
      raw.resetAndDestroy();
      return undefined;
    } finally {
      clearTimeout(deadline);
    }
  };
}

/** Reads the PROXY header, and takes it off the connection. Returns whether there was one. */
async function readAnnounced(raw: Socket): Promise<boolean> {
  const header = await readFirstBytes(raw, readProxyHeader);
  if (header === undefined) return false;
  raw.read(header.length);
  if (header.client !== 'local') announcePeer(raw, header.client);
  return true;
}

/** RFC 8446 section 5.1: type 22, a version, the length. A handshake begins with such a record. */
function firstRecord(bytes: Buffer): true | undefined {
  if (bytes[0] !== 22) throw new Error('not a TLS handshake');
  if (bytes.length < 5) return undefined;
  const length = bytes.readUInt16BE(3);
  if (length > 16_384) throw new Error('not a TLS handshake');
  return bytes.length >= 5 + length ? true : undefined;
}
