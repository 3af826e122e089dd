import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Hasher } from '../hasher.ts';
import { utf8 } from '../text.ts';
import { type EndLine, FORMAT, type HeaderLine } from './lines.ts';

/** A leaf as the service gives it. `opening` and `content` are JSON, byte for byte. */
export interface GivenRecord {
  readonly leafIndex: string;
  readonly gap: readonly string[];
  readonly salt: string;
  readonly opening: string;
  readonly content?: string | undefined;
}

/** Makes the lines of an audit file, each with its line feed. The end comes last. */
export interface AuditWriter {
  header(header: Omit<HeaderLine, 'format'>): string;
  leaf(record: GivenRecord): string;
  end(end: Pick<EndLine, 'gap' | 'checkpoint'>): string;
}

export function createAuditWriter(createHasher: () => Hasher = () => sha256.create()): AuditWriter {
  const hasher = createHasher();
  let lines = 0;
  const counted = (text: string) => {
    const line = `${text}\n`;
    hasher.update(utf8(line));
    lines += 1;
    return line;
  };
  return {
    header: ({ organizationId, since, until }) => counted(JSON.stringify({ format: FORMAT, organizationId, since, until })),
    leaf({ leafIndex, gap, salt, opening, content }) {
      const rest = content === undefined ? '' : `,"content":${content}`;
      return counted(`{"index":${leafIndex},"gap":${JSON.stringify(gap)},"salt":"${salt}","opening":${opening}${rest}}`);
    },
    end: ({ gap, checkpoint }) => `${JSON.stringify({ end: { gap, checkpoint, lines, sha256: bytesToHex(hasher.digest()) } })}\n`,
  };
}
