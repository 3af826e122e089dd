import { createEgressAllowlist, type EgressAllowlist } from '../../../src/network/egress-allowlist.ts';
import { compileBlocks, parseCidr } from '../../../src/network/ip-blocks.ts';
import type { ResolveName } from '../../../src/network/resolve-name.ts';

/** The addresses of names: a list, or a function called at each look-up. Other names have none. */
export type Names = Readonly<Record<string, readonly string[] | (() => readonly string[])>>;

/** Resolves names for a test. A look-up of a name with the address `slow` is never answered. */
export function resolverOf(names: Names): ResolveName {
  return async (hostname) => {
    const known = names[hostname];
    const addresses = (typeof known === 'function' ? known() : known) ?? [];
    return addresses.includes('slow') ? new Promise(() => {}) : addresses;
  };
}

/** The reachability rules with these listed networks and names. */
export function egressAllowlistIn(networks: readonly string[], names: Names = {}): EgressAllowlist {
  return createEgressAllowlist(compileBlocks(networks.map(parseCidr)), 'webhookNetworks', resolverOf(names));
}
