import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type IpAddress, parseIpAddress } from '../network/ip-address.ts';
import { compileBlocks, parseCidr } from '../network/ip-blocks.ts';

/** Where a request came from; undefined where that cannot be told. */
export type ClientAddress = IpAddress | undefined;

/** What of a request tells where it came from. */
export type Addressed = Pick<IncomingMessage, 'headers'> & { readonly socket: Pick<Socket, 'remoteAddress'> };

/**
 * Tells the address of a request's client: the peer of its connection or, where that is a proxy of `trustedProxies` (CIDR blocks), what
 * the proxy wrote to the right of `X-Forwarded-For`. Entries of trusted proxies are skipped; where all are such, the client is the
 * leftmost one, and a proxy that writes nothing speaks for itself.
 * SECURITY: whatever stands left of the first address that is not a trusted proxy was written by the client, and is not looked at;
 * a header from any other peer is not read at all.
 */
export function createClientAddress(trustedProxies: readonly string[]): (request: Addressed) => ClientAddress {
  const trusted = compileBlocks(trustedProxies.map(parseCidr));

  return function clientAddress({ socket, headers }) {
    let client = peerAddress(socket.remoteAddress);
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
 * Has a connection remember its peer, and says whether it still has one: Node asks the system once and keeps the answer.
 * SECURITY: a client that sends a request and resets the connection leaves no address to ask for. Asked when the connection comes in,
 * and not served without an answer, nobody becomes unknown by hanging up.
 */
export function rememberPeer(socket: Pick<Socket, 'remoteAddress'>): boolean {
  return socket.remoteAddress !== undefined;
}

/** A link-local peer comes with the interface it was seen on, which no list names. */
function peerAddress(text: string | undefined): ClientAddress {
  return text === undefined ? undefined : parseIpAddress(text.replace(/%.*$/, ''));
}

/** Several headers are one list (RFC 9110 section 5.3), the last one nearest to this server. */
function hopsOf(header: string | string[] | undefined): string[] {
  if (header === undefined) return [];
  return (typeof header === 'string' ? header : header.join(',')).split(',').map((hop) => hop.trim());
}

/** What proxies write: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:4711`. */
function forwardedAddress(hop: string): ClientAddress {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(hop)?.[1];
  if (bracketed !== undefined) return bracketed.includes(':') ? parseIpAddress(bracketed) : undefined;
  // One colon sets a port off; more belong to an address.
  const beforePort = /^([^:]*):\d{1,5}$/.exec(hop)?.[1];
  return parseIpAddress(beforePort ?? hop);
}
