import type { JudgedKey } from './organization.ts';

/**
 * Whether two records stand for one key: accounts of one wallet at one path and on one curve. They differ in the format of their address
 * alone. The formats of two test networks even give the same text.
 */
export function isSameKey(a: JudgedKey, b: JudgedKey): boolean {
  if (a.kind !== 'walletAccount' || b.kind !== 'walletAccount') return a.id === b.id;
  return a.body.walletId === b.body.walletId && a.body.path === b.body.path && a.body.curve === b.body.curve;
}
