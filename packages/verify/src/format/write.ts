import { type ChainHead, commitmentLeaf, parseOpeningText } from '@countersign/tlog';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import type { Hasher } from '../hasher.ts';
import { utf8 } from '../text.ts';
import { FORMAT, type HeaderLine, type HeadLine } from './lines.ts';

/** A leaf as the service gives it. `opening` and `content` are JSON, byte for byte. */
export interface GivenRecord {
  readonly leafIndex: string;
  readonly gap: readonly string[];
  readonly salt: string;
  readonly opening: string;
  readonly content?: string | undefined;
}

/** The end as the service gives it. */
export interface GivenEnd {
  readonly gap: readonly string[];
  readonly checkpoint: string;
  readonly head?: { readonly [Name in keyof HeadLine]: HeadLine[Name] | undefined } | undefined;
}

/** Makes the lines of an audit file, each with its line feed. The end comes last. */
export interface AuditWriter {
  header(header: Omit<HeaderLine, 'format'>): string;
  leaf(record: GivenRecord): string;
  end(end: GivenEnd): string;
  /** The last leaf of the organization. Undefined if it has none of its own. */
  lastLeaf(): ChainHead | undefined;
}

export function createAuditWriter(createHasher: () => Hasher = () => sha256.create()): AuditWriter {
  const hasher = createHasher();
  let lines = 0;
  let organizationId: string | undefined;
  let last: GivenRecord | undefined;
  const counted = (text: string) => {
    const line = `${text}\n`;
    hasher.update(utf8(line));
    lines += 1;
    return line;
  };
  return {
    header({ organizationId: id, since, until }) {
      organizationId = id;
      return counted(JSON.stringify({ format: FORMAT, organizationId: id, since, until }));
    },
    leaf(record) {
      const { leafIndex, gap, salt, opening, content } = record;
      last = record;
      const rest = content === undefined ? '' : `,"content":${content}`;
      return counted(`{"index":${leafIndex},"gap":${JSON.stringify(gap)},"salt":"${salt}","opening":${opening}${rest}}`);
    },
    end({ gap, checkpoint, head }) {
      const sha256 = bytesToHex(hasher.digest());
      const { nodes, headVersion, headDigest } = head ?? {};
      const proof = head && { checkpoint: head.checkpoint, nodes, headVersion, headDigest };
      return `${JSON.stringify({ end: { gap, checkpoint, lines, sha256, head: proof } })}\n`;
    },
    lastLeaf() {
      if (last === undefined) return undefined;
      const opening = parseOpeningText(last.opening);
      if (opening.organizationId !== organizationId) return undefined;
      return { sequence: opening.sequence, leafHash: commitmentLeaf(opening, hexToBytes(last.salt)) };
    },
  };
}
