import { randomBytes } from 'node:crypto';
import { SIGNING_PATH, signingBody } from '../signing-request.ts';
import { Stamper } from '../stamper.ts';
import type { LoadTarget } from './messages.ts';

/** A whole HTTP request, ready to send, and the payload that it signs. */
export interface StampedRequest {
  readonly bytes: Buffer;
  readonly payload: Buffer;
}

/** Makes distinct requests. All client-side work happens here, before the measured window. */
export function stampRequests(target: LoadTarget, count: number): StampedRequest[] {
  const stamper = new Stamper(target);
  const nowMs = Date.now();
  return Array.from({ length: count }, (_, index) => {
    const payload = randomBytes(32);
    const body = signingBody(target, payload.toString('hex'), nowMs + (index % 1000));
    const head = [
      `POST ${SIGNING_PATH} HTTP/1.1`,
      `Host: ${target.host}:${target.port}`,
      'Content-Type: application/json',
      `X-Stamp: ${stamper.stamp(body)}`,
      `Content-Length: ${body.length}`,
    ].join('\r\n');
    return { bytes: Buffer.from(`${head}\r\n\r\n${body}`, 'latin1'), payload };
  });
}
