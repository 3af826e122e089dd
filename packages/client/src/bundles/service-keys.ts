import { CountersignError } from '../errors.ts';

/** The public keys of a service's signing keys: uncompressed P-256, in hexadecimal. */
export interface ServiceKeys {
  /** Signs export bundles and import targets. */
  readonly signer: string;
  readonly sessionNotarizer: string;
  readonly verificationTokenSigner: string;
}

/**
 * The keys that a service publishes. They never change while an installation lives. Where possible, store them once or get them
 * through another channel instead of fetching them again: a response is only as trustworthy as its connection.
 */
export async function fetchServiceKeys(baseUrl: string, fetcher: typeof fetch = fetch): Promise<ServiceKeys> {
  const url = `${baseUrl.replace(/\/+$/, '')}/.well-known/countersign-keys`;
  let keys: Partial<ServiceKeys> | undefined;
  try {
    const response = await fetcher(url, { redirect: 'error' });
    keys = response.ok ? ((await response.json()) as Partial<ServiceKeys>) : undefined;
  } catch (cause) {
    throw new CountersignError(0, 'UNREACHABLE', `No response from ${url}. Is the server running, and is the address right?`, {
      cause,
    });
  }
  const { signer, sessionNotarizer, verificationTokenSigner } = keys ?? {};
  if (![signer, sessionNotarizer, verificationTokenSigner].every((key) => /^04[0-9a-f]{128}$/.test(String(key)))) {
    const text = `${url} did not return the service's keys. Does the address point at a Countersign service?`;
    throw new CountersignError(200, 'RESPONSE_INVALID', text);
  }
  return keys as ServiceKeys;
}
