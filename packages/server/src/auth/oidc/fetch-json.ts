import { lookup } from 'node:dns/promises';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { guardedLookup } from '../../network/guarded-lookup.ts';
import { isPublicAddress, literalAddress } from '../../network/public-address.ts';
import { IssuerUnavailable } from './oidc-fault.ts';

/** Bounds on one request to an issuer. */
export interface FetchRules {
  /** Whether the host may have an address that is not one of the internet. */
  readonly allowPrivateAddress: boolean;
  readonly maxBytes: number;
  /** Ends the request, however far it got. */
  readonly signal: AbortSignal;
}

/**
 * Gets a JSON document. Follows no redirect, takes no status but 200, reads no more than `maxBytes`.
 * SECURITY: a host that resolves to a private address is refused before a connection is made, and the connection is made to the very
 * address that was looked at, so that a name cannot change its mind in between. Throws IssuerUnavailable for whatever goes wrong.
 */
export async function fetchJson(url: URL, rules: FetchRules): Promise<unknown> {
  const unavailable = (problem: string, cause?: unknown) => new IssuerUnavailable(`${url.href} ${problem}`, { cause });
  const address = literalAddress(url.hostname);
  if (address !== undefined && !rules.allowPrivateAddress && !isPublicAddress(address))
    throw unavailable('has a private address, which is not allowed');
  try {
    const response = await send(url, rules);
    if (response.statusCode !== 200) {
      response.destroy();
      throw unavailable(`answered ${response.statusCode}; only 200 is taken, and redirects are not followed`);
    }
    return JSON.parse(await readText(response, rules.maxBytes));
  } catch (error) {
    if (error instanceof IssuerUnavailable) throw error;
    throw unavailable(`did not give a JSON document: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

function send(url: URL, { allowPrivateAddress, signal }: FetchRules): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request: ClientRequest = (url.protocol === 'https:' ? requestHttps : requestHttp)(
      url,
      {
        agent: false,
        headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'countersign' },
        signal,
        ...(!allowPrivateAddress && { lookup: lookupPublic }),
      },
      resolve,
    );
    request.on('error', reject);
    request.end();
  });
}

async function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The operator names the issuers, so the hosts file may be asked for them. */
const lookupPublic = guardedLookup(
  async (hostname) => (await lookup(hostname, { all: true })).map(({ address }) => address),
  isPublicAddress,
);
