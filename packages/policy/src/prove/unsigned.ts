/** Namespaces whose integers are never below zero. INVARIANT: their formats have no negative ones, or the parsers refuse them. */
export const unsignedNamespaces: ReadonlySet<string> = new Set(['effects', 'eth.tx', 'solana.tx', 'tron.tx']);
