import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { childrenOf } from './command-process.ts';

/** A process and all that it started. */
export function processTree(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(processTree)];
}

/** The names of those secrets that are in the memory of a process. */
export function secretsIn(pid: number, secrets: Readonly<Record<string, Uint8Array>>): string[] {
  const found = new Set<string>();
  const longest = Math.max(...Object.values(secrets).map(({ length }) => length));
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    for (const [from, to] of writableRegions(pid)) {
      const block = Buffer.alloc(Math.min(to - from, BLOCK_BYTES) + longest);
      for (let at = from; at < to; at += BLOCK_BYTES) {
        const length = read(memory, block, at, Math.min(to - at, BLOCK_BYTES + longest));
        const bytes = block.subarray(0, length);
        for (const [name, secret] of Object.entries(secrets)) if (bytes.includes(Buffer.from(secret))) found.add(name);
      }
    }
  } finally {
    closeSync(memory);
  }
  return [...found].sort();
}

const BLOCK_BYTES = 4 * 2 ** 20;

/** proc(5): address range, permissions, and what is mapped. */
function writableRegions(pid: number): [from: number, to: number][] {
  return readFileSync(`/proc/${pid}/maps`, 'latin1')
    .split('\n')
    .filter((line) => / rw/.test(line))
    .map((line) => {
      const [from = '0', to = '0'] = (line.split(' ')[0] ?? '').split('-');
      return [Number.parseInt(from, 16), Number.parseInt(to, 16)];
    });
}

/** Pages that were never used cannot always be read. */
function read(memory: number, block: Buffer, at: number, length: number): number {
  try {
    return readSync(memory, block, 0, length, at);
  } catch {
    return 0;
  }
}
