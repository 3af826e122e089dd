import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { type IpAddress, parseIpAddress } from '../../network/ip-address.ts';
import { compileBlocks, parseCidr } from '../../network/ip-blocks.ts';

/** The address of a request's client. Undefined when it is unknown. */
export type ClientAddress = IpAddress | undefined;

/** The parts of a request that determine its client's address. */
export interface ForwardedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly socket: Pick<Socket, 'remoteAddress'>;
}

/**
 * Finds the address of a request's client. Usually it is the peer of the connection. If the peer is in `trustedProxies` (CIDR
 * blocks), read `X-Forwarded-For` from the right and skip trusted proxies. If all entries are trusted, the client is the leftmost
 * one. A trusted proxy that sends no header is itself the client.
 * SECURITY: the client may have written everything left of the first address that is not a trusted proxy, so it is ignored. A
 * header from any other peer is not read at all.
 */
export function createClientAddress(trustedProxies: readonly string[]): (request: ForwardedRequest) => ClientAddress {
  const trusted = compileBlocks(trustedProxies.map(parseCidr));

  return function clientAddress({ socket, headers }) {
    let client = peerOf(socket);
    if (trustedProxies.length === 0 || client === undefined) return client;
    const hops = hopsOf(headers['x-forwarded-for']);
    while (client !== undefined && trusted.has(client)) {
      const hop = hops.pop();
      if (hop === undefined) return client;
      client = forwardedAddress(hop);
    }
    return client;
  };
}

/**
 * Makes a connection remember its peer's address, and tells whether it has one. Node asks the system once and keeps the answer.
 * SECURITY: a client that sends a request and resets the connection leaves no address to ask for. So ask when the connection
 * arrives, and do not serve a connection without an address: then disconnecting does not hide an address.
 */
export function rememberPeer(socket: Pick<Socket, 'remoteAddress'>): boolean {
  return socket.remoteAddress !== undefined;
}

/** The clients that trusted proxies announced, by connection. */
const announced = new WeakMap<object, ClientAddress>();

/** A trusted proxy announced the client of this connection. Undefined if the proxy does not know its address. */
export function announcePeer(socket: object, client: ClientAddress): void {
  announced.set(socket, client);
}

/** The address at the other end of a connection, or behind the proxy that announced it. */
export function peerOf(socket: Pick<Socket, 'remoteAddress'>): ClientAddress {
  return announced.has(socket) ? announced.get(socket) : peerAddress(socket.remoteAddress);
}

/** Peers whose addresses are kept as they were read. Most requests come from few of them. */
const MAX_PEERS = 4_096;
const peers = new Map<string, ClientAddress>();

/**
 * A link-local peer's address includes the network interface, which no list names.
 * INVARIANT: one text is one address, and an address is never changed. So each text is read once.
 */
function peerAddress(text: string | undefined): ClientAddress {
  if (text === undefined) return undefined;
  const known = peers.get(text);
  if (known !== undefined) return known;
  const address = parseIpAddress(text.replace(/%.*$/, ''));
  if (peers.size >= MAX_PEERS) peers.clear();
  peers.set(text, address);
  return address;
}

/** Several headers form one list (RFC 9110 section 5.3). The last entry is nearest to this server. */
function hopsOf(header: string | string[] | undefined): string[] {
  if (header === undefined) return [];
  return (typeof header === 'string' ? header : header.join(',')).split(',').map((hop) => hop.trim());
}

/** The forms that proxies write: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:4711`. */
function forwardedAddress(hop: string): ClientAddress {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(hop)?.[1];
  if (bracketed !== undefined) return bracketed.includes(':') ? parseIpAddress(bracketed) : undefined;
  // A single colon separates a port. Several colons belong to an IPv6 address.
  const beforePort = /^([^:]*):\d{1,5}$/.exec(hop)?.[1];
  return parseIpAddress(beforePort ?? hop);
}
