import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { CheckedRow } from './check-rows.ts';

/**
 * The names of the payments of a file, by their lines. The service sends no payment of a name again for 24 hours.
 * SECURITY: D966, D1130: a name follows from what its line pays and from the number of equal lines above, and from nothing else. A file that
 * is submitted again, also corrected or saved anew, names its payments as before.
 */
export function namesOfRows(rows: readonly Pick<CheckedRow, 'line' | 'payment' | 'reference'>[]): ReadonlyMap<number, string> {
  const counts = new Map<string, number>();
  const names = new Map<number, string>();
  for (const { line, payment, reference } of rows) {
    if (payment === undefined) continue;
    const { network, to, asset, amount } = payment;
    const content = JSON.stringify([network, to, asset.id, amount.toString(), reference]);
    const above = counts.get(content) ?? 0;
    counts.set(content, above + 1);
    names.set(line, bytesToHex(sha256(utf8ToBytes(`${above} ${content}`))));
  }
  return names;
}
