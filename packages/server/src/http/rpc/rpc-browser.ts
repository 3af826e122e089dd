import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '@countersign/contract';

/**
 * Rejects requests of web pages.
 * SECURITY: D784: browsers send `Origin` with every POST, also to the same origin and to a rebound host name, and a page cannot remove it.
 * `Sec-Fetch-Mode` says nothing: `fetch` of Node.js sends it too. A client certificate would otherwise let any page in the browser of its holder sign.
 */
export function requireNoBrowser(headers: IncomingHttpHeaders): void {
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined)
    throw new ServiceError(
      'BROWSER_NOT_ALLOWED',
      'Web pages cannot use the JSON-RPC endpoint. Send the request from a program, without the headers Origin and Sec-Fetch-Site.',
    );
  if (!/^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(headers['content-type'] ?? ''))
    throw new ServiceError('CONTENT_TYPE_UNSUPPORTED', 'Send the body with Content-Type: application/json.');
}
