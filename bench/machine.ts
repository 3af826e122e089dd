import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import type { Leftovers } from './leftovers.ts';
import { spreadOf } from './statistics.ts';

/** The facts about the machine that the figures depend on. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly node: string;
  /** Median time to write a page and sync it to disk. Every durable commit waits for this. */
  readonly fsyncMs: number;
}

const PAGE_BYTES = 4096;
const TIMES = 30;

/** Describes the machine and the disk of the temporary directory, which holds the data of a run. */
export function describeMachine(leftovers: Leftovers): Machine {
  const file = openSync(join(leftovers.directory(), 'fsync'), 'w');
  const page = Buffer.alloc(PAGE_BYTES, 1);
  const times = Array.from({ length: TIMES }, () => {
    const startedAt = performance.now();
    writeSync(file, page);
    fsyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? 'unknown processor',
    node: process.version,
    fsyncMs: spreadOf(times).median,
  };
}
