import { request as send } from 'node:https';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { ConfigError } from '../../../../config/config-error.ts';
import { RootKeyUnavailable } from '../../../errors.ts';
import { readAnswer, type SocketAnswer } from './unseal-socket.ts';

/** Where a sealed service takes shares over HTTPS. */
export const UNSEAL_PATH = '/unseal';

const TIMEOUT_MS = 30_000;
const shareRequest = z.strictObject({ share: z.string().max(300) });

/** The share in the body of a request. Undefined for another body. */
export function readShareRequest(body: Buffer): string | undefined {
  try {
    return shareRequest.parse(JSON.parse(body.toString('utf8'))).share;
  } catch {
    return undefined;
  }
}

/**
 * Gives a share to the service at an address. Throws RootKeyUnavailable if it takes none.
 * SECURITY: D653: over HTTPS only, with a verified certificate, and without redirects.
 */
export async function giveOverHttps(address: string, share: string): Promise<SocketAnswer> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'https:')
    throw new ConfigError(`${address} is not an https address.`, 'Give --url as https://host:port, or use --unseal-socket.');
  const body = JSON.stringify({ share });
  const { status, content } = await new Promise<{ status: number; content: string }>((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    const outgoing = send(new URL(UNSEAL_PATH, url), { method: 'POST', headers, timeout: TIMEOUT_MS }, (response) => {
      text(response).then((content) => resolve({ status: response.statusCode ?? 0, content }), reject);
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')));
    outgoing.on('error', reject);
    outgoing.end(body);
  }).catch((cause: Error) => {
    throw new RootKeyUnavailable(
      `${url.origin} cannot be reached: ${cause.message}`,
      'check the address and its certificate; NODE_EXTRA_CA_CERTS names the file of a private authority',
      { cause },
    );
  });
  if ([200, 400, 403, 413].includes(status)) return readAnswer(content);
  throw new RootKeyUnavailable(
    `${url.origin} takes no shares (status ${status})`,
    'the service is unsealed already, or was started without --unseal-https',
  );
}
