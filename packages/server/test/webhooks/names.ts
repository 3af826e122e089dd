import { compileBlocks, parseCidr } from '../../src/network/ip-blocks.ts';
import type { ResolveName } from '../../src/network/resolve-name.ts';
import { createReachable, type Reachable } from '../../src/webhooks/reachable.ts';

/** The addresses of names: a list, or what gives one at each look-up. A name that is not here has none. */
export type Names = Readonly<Record<string, readonly string[] | (() => readonly string[])>>;

/** How names are looked up in a world of a test's own. A look-up of a name with the address `slow` is never answered. */
export function resolverOf(names: Names): ResolveName {
  return async (hostname) => {
    const known = names[hostname];
    const addresses = (typeof known === 'function' ? known() : known) ?? [];
    return addresses.includes('slow') ? new Promise(() => {}) : addresses;
  };
}

/** What may be reached where these networks are listed and names lead to these addresses. */
export function reachableIn(networks: readonly string[], names: Names = {}): Reachable {
  return createReachable(compileBlocks(networks.map(parseCidr)), resolverOf(names));
}
