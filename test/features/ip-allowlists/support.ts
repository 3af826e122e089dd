import { type OutgoingHttpHeaders, request } from 'node:http';
import { type ApiKey, encodeStamp, newApiKey, stampFields } from '../../support/api-key.ts';
import { type Answer, Caller } from '../../support/caller.ts';
import type { TestService } from '../../support/service.ts';
import { apiKeyParams } from '../../support/world.ts';
import { createOrganization } from '../catalogue/support/organizations.ts';

/** Posts JSON from a chosen loopback address, over a new connection. A header may be repeated. */
export function postFrom(from: string, url: string, body: Uint8Array, headers: OutgoingHttpHeaders): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        localAddress: from,
        agent: false,
        headers: { 'content-type': 'application/json', 'content-length': body.length, ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const headersSeen = new Headers(response.headers as Record<string, string>);
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()), headers: headersSeen });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** A user of the service who calls from a given address, perhaps with more headers. */
class PlacedCaller extends Caller {
  readonly from: string;
  readonly more: OutgoingHttpHeaders;

  constructor({ url, organizationId, key, dialect }: Caller, from: string, more: OutgoingHttpHeaders) {
    super(url, organizationId, key, dialect);
    this.from = from;
    this.more = more;
  }

  override send(path: string, body: string | Uint8Array): Promise<Answer> {
    const bytes = Buffer.from(body);
    return postFrom(this.from, this.url + path, bytes, {
      'x-stamp': encodeStamp(stampFields(this.key, bytes)),
      ...this.more,
    });
  }
}

/** The same user at a loopback address. */
export function from(address: string, caller: Caller, headers: OutgoingHttpHeaders = {}): Caller {
  return new PlacedCaller(caller, address, headers);
}

/** Addresses of this machine for different clients. Tests call from `HERE` by default. */
export const HERE = '127.0.0.1';
export const OFFICE = '127.0.0.2';
export const ELSEWHERE = '127.0.0.3';

export const only = (...addresses: string[]) => ({ rules: addresses.map((address) => ({ cidr: `${address}/32` })) });

/** A top-level organization for one test, and its one root user. */
export async function ownOrganization(service: TestService): Promise<{ root: Caller; rootUserId: string }> {
  const root = await createOrganization(service.root, service);
  return { root, rootUserId: (await root.data('whoami')).userId };
}

/** Adds an API key to a user. */
export async function addKey(
  root: Caller,
  userId: string,
  more?: object,
): Promise<{ key: ApiKey; apiKeyId: string; caller: Caller }> {
  const key = newApiKey();
  const { apiKeyIds } = await root.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key, more)] });
  return { key, apiKeyId: apiKeyIds[0], caller: root.with({ key }) };
}

/** The refusal of an address. */
export const notAllowed = { status: 403, code: 'IP_NOT_ALLOWED' };

/** The secret in the mail to an address, whatever its state in the outbox. */
export async function secretMailedTo({ services: { store, vault } }: TestService, address: string): Promise<string> {
  for (let reads = 0; reads < 100; reads++) {
    for (const state of ['waiting', 'kept', 'parked'] as const) {
      for (const { organizationId, id, ciphertext } of await store.outbox.list(state, 1000)) {
        const { to, secret } = JSON.parse(await vault.outbox.open(organizationId, id, ciphertext));
        if (to === address) return secret;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`no mail to ${address}`);
}
