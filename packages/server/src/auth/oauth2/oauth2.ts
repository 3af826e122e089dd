import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Oauth2Provider } from '../../config/oauth2-providers.ts';
import { type CodeToExchange, exchangeCode } from './exchange-code.ts';

/** Exchanges codes at the providers in the operator's settings. */
export interface Oauth2 {
  /** Undefined if the operator does not list it. */
  provider(name: string): Oauth2Provider | undefined;
  /**
   * The id of the person at the provider. If an organization asks again shortly afterwards, because its commit is tried again, the
   * provider is not asked again: it accepts a code only once. Throws CodeRejected or IssuerUnavailable.
   */
  personOf(provider: Oauth2Provider, code: CodeToExchange, organizationId: string): Promise<string>;
}

/** Longer than a request is tried again. */
const KEPT_MS = 30_000;

export function createOauth2(providers: readonly Oauth2Provider[], exchange: typeof exchangeCode = exchangeCode): Oauth2 {
  const byName = new Map(providers.map((provider) => [provider.provider, provider]));
  const asked = new LRUCache<string, Promise<string>>({ max: 10_000, ttl: KEPT_MS });
  return {
    provider: (name) => byName.get(name),
    personOf(provider, code, organizationId) {
      // SECURITY: what is kept names no code and no secret.
      const key = hash('sha256', JSON.stringify([organizationId, provider.provider, code]));
      const known = asked.get(key);
      if (known !== undefined) return known;
      const person = exchange(provider, code).catch((error: unknown) => {
        asked.delete(key);
        throw error;
      });
      asked.set(key, person);
      return person;
    },
  };
}
