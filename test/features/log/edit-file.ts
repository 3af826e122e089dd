import { commitmentLeaf, nodeHash } from '@countersign/tlog';
import { p256 } from '@noble/curves/nist.js';
import { subtreesBetween } from '../../../packages/server/src/log/audit.ts';
import type { Json } from '../../support/caller.ts';
import { mended } from './audit-support.ts';

/** Edits of an audit file that need no key. The digest at the end is made anew. */

export function linesOf(text: string): Json[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

export function textOf(lines: readonly Json[]): string {
  return mended(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
}

/** The file with one leaf edited. */
export function withLeaf(text: string, isMeant: (leaf: Json) => boolean, edit: (leaf: Json) => void): string {
  const lines = linesOf(text);
  const leaf = lines.slice(1, -1).find(isMeant);
  if (leaf === undefined) throw new Error('the file has no such leaf');
  edit(leaf);
  return textOf(lines);
}

/** The file with its end edited. */
export function withEnd(text: string, edit: (end: Json) => void): string {
  const lines = linesOf(text);
  edit(lines.at(-1).end);
  return textOf(lines);
}

/** The file without its last leaves, their hashes in the gap at the end. */
export function cutOff(text: string, count: number): string {
  const lines = linesOf(text);
  withoutLeaves(lines, lines.length - 1 - count, count);
  return textOf(lines);
}

/**
 * Replaces leaves by the hashes of their subtrees in the gap of the next line. All leaves of the log must be in the file, as in forged
 * ones.
 */
export function withoutLeaves(lines: Json[], first: number, count: number): void {
  const leaves = lines.slice(1, -1);
  const hashes = leaves.map(({ opening, salt }) => Buffer.from(commitmentLeaf(opening, Buffer.from(salt, 'hex')), 'hex'));
  const root = (start: number, end: number): Uint8Array =>
    end - start === 1 ? (hashes[start] as Uint8Array) : nodeHash(root(start, (start + end) / 2), root((start + end) / 2, end));
  const next = lines[first + count];
  const target = next.end ?? next;
  const end = next.end === undefined ? next.index : leaves.length;
  target.gap = subtreesBetween(first - 1, end).map(({ level, index }) =>
    Buffer.from(root(index * 2 ** level, (index + 1) * 2 ** level)).toString('hex'),
  );
  lines.splice(first, count);
}

/** The other valid form of an ECDSA signature in DER: s becomes n - s. */
export function mirrored(signature: string): string {
  const { r, s } = p256.Signature.fromBytes(Buffer.from(signature, 'hex'), 'der');
  return Buffer.from(new p256.Signature(r, p256.Point.CURVE().n - s).toBytes('der')).toString('hex');
}
