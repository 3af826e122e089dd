import { readFile } from 'node:fs/promises';
import { TlogFault } from '@countersign/tlog';
import { z } from 'zod';
import { renameDurably, replaceFile } from '../vault/providers/durable-file.ts';
import { openOwnCheckpoint } from './checkpoint.ts';
import { LogFault } from './log-error.ts';
import type { Tree } from './tree.ts';

/** The last checkpoint that this server saw, in a file of its own, where whoever writes the database does not reach. */
export interface Anchor extends Tree {
  readonly atMs: number;
  /** The signed note. */
  readonly checkpoint: string;
}

const shape = z.strictObject({ version: z.literal(1), atMs: z.number().int().nonnegative(), checkpoint: z.string() });

/** Reads the anchor. Undefined if there is none. Throws LogFault for one that this installation did not sign. */
export async function readAnchor(path: string, logKey: Uint8Array): Promise<Anchor | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    const { atMs, checkpoint } = shape.parse(JSON.parse(text));
    const { size, root } = openOwnCheckpoint(logKey, checkpoint);
    return { size, root, atMs, checkpoint };
  } catch (cause) {
    const isUnfit = cause instanceof SyntaxError || cause instanceof z.ZodError || cause instanceof TlogFault;
    if (!isUnfit) throw cause;
    throw new LogFault(
      `${path} is not a checkpoint that this installation signed.`,
      "If this data directory was used with another database before, run 'countersign recover'.",
      { cause },
    );
  }
}

/** Writes the anchor durably. INVARIANT: a process that dies leaves the old one or the new one. */
export async function writeAnchor(path: string, { atMs, checkpoint }: Pick<Anchor, 'atMs' | 'checkpoint'>): Promise<void> {
  const content: z.input<typeof shape> = { version: 1, atMs, checkpoint };
  await replaceFile(path, Buffer.from(`${JSON.stringify(content)}\n`)).catch((cause: NodeJS.ErrnoException) => {
    throw new LogFault(
      `The checkpoint of the log cannot be noted in ${path}: ${cause.code}.`,
      'Give this user the right to write there and room on the disk, or choose another --data-dir or --log-anchor.',
      { cause },
    );
  });
}

/** Gives the anchor another name, which nobody reads, and returns that name. It stays as evidence. */
export async function setAnchorAside(path: string, nowMs: number): Promise<string> {
  const aside = `${path}.lost-${new Date(nowMs).toISOString().replaceAll(':', '')}`;
  await renameDurably(path, aside);
  return aside;
}
