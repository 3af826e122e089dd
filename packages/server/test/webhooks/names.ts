import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { compileBlocks, parseCidr } from '../../src/auth/ip-blocks.ts';
import { createReachable, type Reachable } from '../../src/webhooks/reachable.ts';

/** The addresses of names: a list, or what gives one at each look-up. A name that is not here has none. */
export type Names = Readonly<Record<string, readonly string[] | (() => readonly string[])>>;

/** How names are looked up in a world of a test's own. A look-up of a name with the value `slow` is never answered. */
export function resolverOf(names: Names) {
  return (hostname: string, _options: { all: true }, callback: (error: Error | null, found: LookupAddress[]) => void): void => {
    const known = names[hostname];
    const addresses = typeof known === 'function' ? known() : known;
    if (addresses?.includes('slow')) return;
    setImmediate(() => {
      if (addresses === undefined) callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
      else
        callback(
          null,
          addresses.map((address) => ({ address, family: isIP(address) })),
        );
    });
  };
}

/** What may be reached where these networks are listed and names lead to these addresses. */
export function reachableIn(networks: readonly string[], names: Names = {}): Reachable {
  return createReachable(compileBlocks(networks.map(parseCidr)), resolverOf(names));
}
