import { lookup } from 'node:dns/promises';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { guardedLookup } from '../../network/guarded-lookup.ts';
import { isPublicAddress, literalAddress } from '../../network/public-address.ts';
import { IssuerUnavailable, UnexpectedStatus } from './oidc-error.ts';

/** Limits of one request to an issuer. */
export interface FetchRules {
  /** Whether the host may have a private address. */
  readonly allowPrivateAddress: boolean;
  readonly maxBytes: number;
  /** Aborts the request at any stage. */
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** A form to post. Without one, the document is read with GET. */
  readonly form?: URLSearchParams;
}

/**
 * Gets a JSON document, or posts a form for one. Follows no redirect, accepts only status 200, reads at most `maxBytes`. Throws IssuerUnavailable for any failure.
 * SECURITY: rejects a host that resolves to a private address before it connects. The connection goes to the address that was checked,
 * so that a name cannot resolve to another address in between.
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
      throw new UnexpectedStatus(
        `${url.href} responded with ${response.statusCode}; only 200 is accepted, and redirects are not followed`,
        response.statusCode,
      );
    }
    return parsed(await readText(response, rules.maxBytes));
  } catch (error) {
    if (error instanceof IssuerUnavailable) throw error;
    throw unavailable(`did not return a JSON document: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

/** SECURITY: D1018: the error of the parser quotes the text, which may contain tokens, secrets and people. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the text is not JSON');
  }
}

function send(url: URL, { allowPrivateAddress, signal, headers, form }: FetchRules): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request: ClientRequest = (url.protocol === 'https:' ? requestHttps : requestHttp)(
      url,
      {
        agent: false,
        ...(form && { method: 'POST' }),
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          'user-agent': 'countersign',
          ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
          ...headers,
        },
        signal,
        ...(!allowPrivateAddress && { lookup: lookupPublic }),
      },
      resolve,
    );
    request.on('error', reject);
    request.end(form?.toString());
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

/** The operator chooses the issuers, so the hosts file may resolve them. */
const lookupPublic = guardedLookup(
  async (hostname) => (await lookup(hostname, { all: true })).map(({ address }) => address),
  isPublicAddress,
);
