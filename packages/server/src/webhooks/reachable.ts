import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { parseIpAddress } from '../auth/ip-address.ts';
import type { IpBlocks } from '../auth/ip-blocks.ts';
import { isPublicAddress, literalAddress } from '../auth/oidc/addresses.ts';

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

type LookupAll = (
  hostname: string,
  options: { all: true },
  callback: (error: Error | null, found: LookupAddress[]) => void,
) => void;

/** How long a name may take to be looked up when an endpoint is made. */
const LOOKUP_MS = 5_000;

/**
 * Public addresses over https, and whatever is in the networks that the operator lists, where plain http will do as well.
 * `resolve` is how names are looked up.
 */
export function createReachable(networks: IpBlocks, resolve: LookupAll = lookup): Reachable {
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
    (hostname, options, callback) => {
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        const [first] = addresses ?? [];
        if (error !== null || first === undefined) return callback(error ?? new Error('the name has no address'), '', 0);
        if (!addresses.every(({ address }) => mayReach(url, address)))
          return callback(new Error('the name leads to an address that webhooks must not go to'), '', 0);
        if (options.all) return callback(null, addresses);
        callback(null, first.address, first.family);
      });
    };

  return {
    problemOf,
    async problemNow(url) {
      const problem = problemOf(url);
      if (problem !== undefined || literalAddress(url.hostname) !== undefined) return problem;
      const found = await Promise.race([addressesOf(resolve, url.hostname), after(LOOKUP_MS)]);
      if (found === undefined || found.length === 0) return 'has a host name that cannot be found now';
      if (found.every((address) => mayReach(url, address))) return undefined;
      return url.protocol === 'http:'
        ? 'must begin with https://: plain http is for networks that the operator lists (webhookNetworks)'
        : 'has a host name that leads to a private or reserved address; the operator may allow its network (webhookNetworks)';
    },
    lookupFor,
  };
}

function addressesOf(resolve: LookupAll, hostname: string): Promise<readonly string[] | undefined> {
  return new Promise((done) => {
    resolve(hostname, { all: true }, (error, found) => done(error === null ? found.map(({ address }) => address) : undefined));
  });
}

function after(ms: number): Promise<undefined> {
  return new Promise((done) => {
    setTimeout(done, ms, undefined).unref();
  });
}
