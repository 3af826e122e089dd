import { isIP, type LookupFunction } from 'node:net';
import { parseIpAddress } from '../network/ip-address.ts';
import type { IpBlocks } from '../network/ip-blocks.ts';
import { isPublicAddress, literalAddress } from '../network/public-address.ts';
import { createResolveName, type ResolveName } from './resolve-name.ts';

/** Which addresses webhooks may go to. */
export interface Reachable {
  /** What is wrong with a URL as it stands, without asking for the addresses of a name; undefined where nothing is. */
  problemOf(url: URL): string | undefined;
  /** The same, with the addresses that a name has now. */
  problemNow(url: URL): Promise<string | undefined>;
  /**
   * As `dns.lookup`, but a name with any address that a request to this URL must not go to is refused.
   * SECURITY: for the connection itself, which then goes to the very address that was looked at.
   */
  lookupFor(url: URL): LookupFunction;
}

/**
 * Public addresses over https, and whatever is in the networks that the operator lists, where plain http will do as well.
 * `resolve` is how names are looked up.
 */
export function createReachable(networks: IpBlocks, resolve: ResolveName = createResolveName()): Reachable {
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
    return protocol === 'http:'
      ? 'must begin with https://: plain http is for networks that the operator lists (webhookNetworks)'
      : 'leads to a private or reserved address; the operator may allow its network (webhookNetworks)';
  }

  const lookupFor =
    (url: URL): LookupFunction =>
    (hostname, { all, family }, callback) => {
      const refuse = (problem: string) => callback(new Error(problem), '', 0);
      resolve(hostname).then(
        (found) => {
          const addresses = found.map((address) => ({ address, family: isIP(address) }));
          const wanted = family === 4 || family === 6 ? addresses.filter((each) => each.family === family) : addresses;
          const [first] = wanted;
          if (first === undefined) refuse('the name has no address');
          else if (!found.every((address) => mayReach(url, address))) refuse('the name leads to where webhooks must not go');
          else if (all) callback(null, wanted);
          else callback(null, first.address, first.family);
        },
        (error: Error) => callback(error, '', 0),
      );
    };

  return {
    problemOf,
    async problemNow(url) {
      const problem = problemOf(url);
      if (problem !== undefined || literalAddress(url.hostname) !== undefined) return problem;
      const found = await resolve(url.hostname);
      if (found.length === 0) return 'has a host name that cannot be found now';
      if (found.every((address) => mayReach(url, address))) return undefined;
      return url.protocol === 'http:'
        ? 'must begin with https://: plain http is for networks that the operator lists (webhookNetworks)'
        : 'has a host name that leads to a private or reserved address; the operator may allow its network (webhookNetworks)';
    },
    lookupFor,
  };
}
