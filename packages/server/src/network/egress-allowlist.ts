import type { LookupFunction } from 'node:net';
import { guardedLookup } from './guarded-lookup.ts';
import { parseIpAddress } from './ip-address.ts';
import type { IpBlocks } from './ip-blocks.ts';
import { isPublicAddress, literalAddress } from './public-address.ts';
import { createResolveName, type ResolveName } from './resolve-name.ts';

/** Decides which addresses webhooks, or push messages, may go to. */
export interface EgressAllowlist {
  /** Describes what is wrong with a URL, without resolving its host name. Undefined if the URL is allowed. */
  problemOf(url: URL): string | undefined;
  /** Like `problemOf`, but also resolves the host name. */
  problemNow(url: URL): Promise<string | undefined>;
  /** The lookup function for the connection to this URL. */
  lookupFor(url: URL): LookupFunction;
}

/**
 * Allows public addresses over https, and addresses in the operator's networks over https and http. `setting` names the setting that lists
 * these networks, and `resolve` resolves host names.
 */
export function createEgressAllowlist(
  networks: IpBlocks,
  setting = 'webhookNetworks',
  resolve: ResolveName = createResolveName(),
): EgressAllowlist {
  const mayReach = ({ protocol }: URL, address: string) => {
    const ip = parseIpAddress(address);
    return (ip !== undefined && networks.has(ip)) || (protocol === 'https:' && isPublicAddress(address));
  };

  function problemOf(url: URL): string | undefined {
    const { protocol, username, password, hash, hostname } = url;
    if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https://';
    if (username !== '' || password !== '') return 'must not contain a user name or password';
    if (hash !== '') return 'must not end with a fragment (#…): it would never be sent';
    const address = literalAddress(hostname);
    if (address === undefined || mayReach(url, address)) return undefined;
    return outOfReach(url, setting);
  }

  return {
    problemOf,
    async problemNow(url) {
      const problem = problemOf(url);
      if (problem !== undefined || literalAddress(url.hostname) !== undefined) return problem;
      const found = await resolve(url.hostname);
      if (found.length > 0 && found.every((address) => mayReach(url, address))) return undefined;
      // SECURITY: unknown and private names get the same text, so that callers cannot learn which names the internal network knows.
      return found.length > 0 && found.every(isPublicAddress) ? outOfReach(url, setting) : notFoundOrPrivate(setting);
    },
    lookupFor: (url) => guardedLookup(resolve, (address) => mayReach(url, address)),
  };
}

const notFoundOrPrivate = (setting: string) =>
  `has a host name that cannot be resolved, or resolves to a private or reserved address; the operator can allow its network (${setting})`;

function outOfReach({ protocol }: URL, setting: string): string {
  return protocol === 'http:'
    ? `must begin with https://: plain http is for networks that the operator lists (${setting})`
    : `is a private or reserved address; the operator can allow its network (${setting})`;
}
