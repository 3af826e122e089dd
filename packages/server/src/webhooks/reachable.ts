import type { LookupFunction } from 'node:net';
import { guardedLookup } from '../network/guarded-lookup.ts';
import { parseIpAddress } from '../network/ip-address.ts';
import type { IpBlocks } from '../network/ip-blocks.ts';
import { isPublicAddress, literalAddress } from '../network/public-address.ts';
import { createResolveName, type ResolveName } from '../network/resolve-name.ts';

/** Decides which addresses webhooks, or push messages, may go to. */
export interface Reachable {
  /** What is wrong with a URL, without looking up its host name. Undefined if nothing is. */
  problemOf(url: URL): string | undefined;
  /** The same, with a look-up of the host name's current addresses. */
  problemNow(url: URL): Promise<string | undefined>;
  /** The look-up function for the connection to this URL. */
  lookupFor(url: URL): LookupFunction;
}

/**
 * Allows public addresses over https, and addresses in the networks that the operator lists, where plain http is allowed too.
 * `setting` is what the operator lists them in, and `resolve` looks up names.
 */
export function createReachable(
  networks: IpBlocks,
  setting = 'webhookNetworks',
  resolve: ResolveName = createResolveName(),
): Reachable {
  const mayReach = ({ protocol }: URL, address: string) => {
    const ip = parseIpAddress(address);
    return (ip !== undefined && networks.has(ip)) || (protocol === 'https:' && isPublicAddress(address));
  };

  function problemOf(url: URL): string | undefined {
    const { protocol, username, password, hash, hostname } = url;
    if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https://';
    if (username !== '' || password !== '') return 'must not hold a user name or password';
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
      // SECURITY: one text for unknown and private names, so nobody can use this server to learn which names its network knows.
      return found.length > 0 && found.every(isPublicAddress) ? outOfReach(url, setting) : notFoundOrPrivate(setting);
    },
    lookupFor: (url) => guardedLookup(resolve, (address) => mayReach(url, address)),
  };
}

const notFoundOrPrivate = (setting: string) =>
  `has a host name that cannot be resolved now, or that leads to a private or reserved address; the operator may allow its network (${setting})`;

function outOfReach({ protocol }: URL, setting: string): string {
  return protocol === 'http:'
    ? `must begin with https://: plain http is for networks that the operator lists (${setting})`
    : `leads to a private or reserved address; the operator may allow its network (${setting})`;
}
