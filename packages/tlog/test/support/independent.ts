import { createHash } from 'node:crypto';

/**
 * Leaves of version 2 and the head map after their definition, on node:crypto alone and without a line of the package. The vectors of
 * conformance/log/leaves-2.json and map.json are what these functions return.
 */

export function sha256Hex(...parts: readonly (Buffer | string)[]): string {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(part);
  return sum.digest('hex');
}

/** A leaf: the members are given in their canonical order. */
export function leafOf(opening: Record<string, unknown>, salt: string) {
  const bytes = JSON.stringify(opening);
  const leaf = `02${sha256Hex(Buffer.from(salt, 'hex'), bytes)}`;
  return { opening, salt, bytes, leaf, leafHash: sha256Hex(Buffer.of(0), Buffer.from(leaf, 'hex')) };
}

/** The nodes of the map with these entries (lower-case hex), by prefix, built from the whole set. */
export function naiveMap(entries: ReadonlyMap<string, string>): Map<string, string> {
  const nodes = new Map<string, string>();
  const build = (prefix: string): string => {
    const below = [...entries].filter(([key]) => key.startsWith(prefix)).sort(([left], [right]) => (left < right ? -1 : 1));
    if (prefix !== '' && below.length === 0) return '0'.repeat(64);
    const digits = [...'0123456789abcdef'];
    const node = below.length <= 16 ? `00${below.flat().join('')}` : `01${digits.map((digit) => build(prefix + digit)).join('')}`;
    nodes.set(prefix, node);
    return nodeHashOf(node);
  };
  build('');
  return nodes;
}

export function nodeHashOf(node: string): string {
  return sha256Hex(Buffer.of(2), Buffer.from(node, 'hex'));
}

export function organizationEntry(head: Record<string, unknown>): [string, string] {
  return [sha256Hex(`organization\n${head.organizationId}`), sha256Hex(JSON.stringify(head))];
}
