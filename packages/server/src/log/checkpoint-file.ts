import { TlogError } from '@countersign/tlog';
import { z } from 'zod';
import { paths } from '../config/paths.ts';
import type { Config } from '../config/settings.ts';
import { replaceFile } from '../store/durable-file.ts';
import { type FileHighWaterMark, readIfPresent, renameAside } from '../store/high-water-mark.ts';
import { openOwnCheckpoint } from './checkpoint.ts';
import { LogError } from './log-error.ts';
import type { Tree } from './tree.ts';

/** The last checkpoint that this server saw. */
export interface SeenCheckpoint extends Tree {
  readonly atMs: number;
  /** The signed note. */
  readonly checkpoint: string;
}

const shape = z.strictObject({ version: z.literal(1), atMs: z.number().int().nonnegative(), checkpoint: z.string() });

/** All files that store the last checkpoint. */
export function checkpointPaths(config: Config): readonly string[] {
  return [paths.logAnchor(config), ...(config.logAnchor === undefined ? [] : [config.logAnchor])];
}

/**
 * The last checkpoint of the log, in a file. `read` throws LogError for a checkpoint that this installation did not sign.
 * INVARIANT: writes are durable and atomic. A process that dies leaves the old checkpoint or the new one.
 */
export function checkpointFile(
  path: string,
  logKey: Uint8Array,
): FileHighWaterMark<SeenCheckpoint, Pick<SeenCheckpoint, 'atMs' | 'checkpoint'>> {
  return {
    async read() {
      const text = await readIfPresent(path);
      return text === undefined ? undefined : parse(path, logKey, text);
    },
    async raise({ atMs, checkpoint }) {
      const recorded = await this.read().catch(() => undefined);
      // Another process of the data directory was faster, for example while this one was suspended.
      if (recorded !== undefined && recorded.size > openOwnCheckpoint(logKey, checkpoint).size) return recorded;
      const content: z.input<typeof shape> = { version: 1, atMs, checkpoint };
      await replaceFile(path, Buffer.from(`${JSON.stringify(content)}\n`)).catch((cause: NodeJS.ErrnoException) => {
        throw new LogError(
          `The checkpoint of the log cannot be recorded in ${path}: ${cause.code}.`,
          'Give this user write access there and free some disk space, or choose another --data-dir or --log-anchor.',
          { cause },
        );
      });
      return { atMs, checkpoint };
    },
    setAside: (nowMs) => renameAside(path, nowMs),
  };
}

function parse(path: string, logKey: Uint8Array, text: string): SeenCheckpoint {
  try {
    const { atMs, checkpoint } = shape.parse(JSON.parse(text));
    const { size, root } = openOwnCheckpoint(logKey, checkpoint);
    return { size, root, atMs, checkpoint };
  } catch (cause) {
    const isUnfit = cause instanceof SyntaxError || cause instanceof z.ZodError || cause instanceof TlogError;
    if (!isUnfit) throw cause;
    throw new LogError(
      `${path} is not a checkpoint that this installation signed.`,
      "If this data directory was used with another database before, run 'countersign recover'.",
      { cause },
    );
  }
}
