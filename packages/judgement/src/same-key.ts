import type { JudgedKey } from './organization.ts';

/**
 * Whether two records are the same key: accounts of the same wallet, path and curve. Only their address formats differ. Two test network
 * formats can even produce the same address.
 */
export function isSameKey(a: JudgedKey, b: JudgedKey): boolean {
  if (a.kind !== 'walletAccount' || b.kind !== 'walletAccount') return a.id === b.id;
  return a.body.walletId === b.body.walletId && a.body.path === b.body.path && a.body.curve === b.body.curve;
}
