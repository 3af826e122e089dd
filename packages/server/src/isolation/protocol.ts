import type { IncomingHttpHeaders } from 'node:http';
import { parseIpAddress } from '../network/ip-address.ts';
import { ProtocolError } from './frames.ts';

/** What an edge tells its core. SECURITY: all of it is claims of a process that strangers may have taken over. */
export const fromEdge = {
  /** A connection was accepted. Id: the connection. Text: see `openedText`. */
  opened: 1,
  /** A connection has ended. */
  closed: 2,
  /** A request began. Id: the request. Text: see `requestText`. Bytes: the body so far. */
  request: 3,
  /** More of a body. The edge sends no more before the core took it. */
  body: 4,
  /** A body is complete. */
  bodyEnd: 5,
  /** How a post ended. Text: JSON. */
  posted: 6,
} as const;

/** What a core tells its edge. */
export const fromCore = {
  /** The response to a request. Text: see `responseText`. Bytes: the body. */
  response: 1,
  /** The part of a body that was sent was taken. */
  bodyTaken: 2,
  /** End a connection and free what the operating system holds for it. */
  reset: 3,
  /** Post a webhook event or a push message. Text: JSON. Bytes: the body. */
  post: 4,
  /** Take no more requests, let those in flight finish, then end. Id: how long they may take, in milliseconds. */
  stop: 5,
} as const;

/** The longest part of a body in one frame. */
export const MAX_BODY_PART = 65_536;
/** The longest text of an edge: Node takes 16 KiB for the head of a request, and a byte above 127 takes two in UTF-8. */
export const MAX_EDGE_TEXT = 40_960;
/** The longest frame of an edge, without its first four bytes. */
export const MAX_EDGE_FRAME = 9 + MAX_EDGE_TEXT + MAX_BODY_PART;
/** The longest frame of a core: the longest response, with much to spare. */
export const MAX_CORE_FRAME = 268_435_456;
/** Unanswered requests of one connection. The server of the edge ends a connection with more. */
export const MAX_UNANSWERED = 64;

/** What an edge says about a connection. */
export interface ConnectionHead {
  /** The address of the client. Undefined if a proxy does not know it. */
  readonly address: string | undefined;
  /** The port that the client connected to. */
  readonly localPort: number;
  /** The public key of the client certificate, in the form of API keys. Empty without one. */
  readonly certificateKey: string;
}

export function openedText({ address = '', localPort, certificateKey }: ConnectionHead): string {
  return `${address}\n${localPort}\n${certificateKey}`;
}

/**
 * Throws ProtocolError.
 * SECURITY: D661: an address, a port and a key have bounded lengths, so that the memory of claims is bounded by the number of connections.
 */
export function readOpenedText(text: string): ConnectionHead {
  const [address = '', port = '', certificateKey = '', ...rest] = text.split('\n', 4);
  const isRead = rest.length === 0 && /^\d{1,5}$/.test(port) && /^(0[23][0-9a-f]{64})?$/.test(certificateKey);
  if (!isRead || address.length > 45 || (address !== '' && parseIpAddress(address) === undefined))
    throw new ProtocolError('a connection without an address');
  return { address: address || undefined, localPort: Number(port), certificateKey };
}

export interface RequestHead {
  readonly connectionId: number;
  readonly isComplete: boolean;
  readonly method: string;
  readonly url: string;
  /** As Node combines them: repeated ones are one value with commas. */
  readonly headers: Readonly<IncomingHttpHeaders>;
}

/** One line for each part: no part of a parsed request has a line break. */
export function requestText({ connectionId, isComplete, method, url, headers }: RequestHead): string {
  const lines: (string | number | readonly string[] | undefined)[] = [connectionId, isComplete ? 1 : 0, method, url];
  for (const name in headers) lines.push(name, headers[name]);
  return lines.join('\n');
}

/** Throws ProtocolError. */
export function readRequestText(text: string): RequestHead {
  const [connectionId = '', isComplete, method, url, ...lines] = text.split('\n');
  if (method === undefined || url === undefined || lines.length % 2 !== 0) throw new ProtocolError('a request without its parts');
  return { connectionId: Number(connectionId), isComplete: isComplete === '1', method, url, headers: headersIn(lines) };
}

/** Names and values in turn. SECURITY: without a prototype, so that no name means something else. */
function headersIn(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (let i = 0; i < lines.length; i += 2) headers[lines[i] as string] = lines[i + 1] as string;
  return headers;
}

export interface ResponseHead {
  readonly status: number;
  /** Whose memory a long response takes in the edge: a proven user. Empty for the address of the client. */
  readonly holder: string;
  readonly headers: Readonly<Record<string, string | number>>;
}

export function responseText({ status, holder, headers }: ResponseHead): string {
  const lines: (string | number)[] = [status, holder];
  for (const name in headers) {
    const value = headers[name] as string | number;
    if (typeof value === 'string' && value.includes('\n')) throw new Error(`the header ${name} has a line break`);
    lines.push(name, value);
  }
  return lines.join('\n');
}

export function readResponseText(text: string): ResponseHead {
  const [status, holder = '', ...lines] = text.split('\n');
  return { status: Number(status), holder, headers: headersIn(lines) };
}
