import { readdirSync, readFileSync } from 'node:fs';

/** A process in /proc. */
interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  readonly name: string;
  /** User and system time of all its threads so far. */
  readonly cpuMicros: number;
}

/** proc(5): times are in USER_HZ, which is 100 on every architecture that Node runs on. */
const MICROS_PER_TICK = 10_000;

/** The CPU time that these processes have used since they started. A process that has ended counts as zero. */
export function cpuMicrosOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (readProcess(pid)?.cpuMicros ?? 0), 0);
}

/** The CPU time that the main thread of a process has used since it started. */
export function mainThreadMicrosOf(pid: number): number {
  // proc(5): the first field is in nanoseconds.
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1_000;
}

/** All descendants of a process, or only those with the given name. */
export function descendantsOf(pid: number, name?: string): number[] {
  const all = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => readProcess(Number(entry)) ?? []);
  const below = (parent: number): ProcessEntry[] =>
    all.filter((entry) => entry.parentPid === parent).flatMap((entry) => [entry, ...below(entry.pid)]);
  return below(pid)
    .filter((entry) => name === undefined || entry.name === name)
    .map((entry) => entry.pid);
}

function readProcess(pid: number): ProcessEntry | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    // The process ended between listing and reading.
    return undefined;
  }
  // The name is in parentheses and may hold any character, so count fields from the last parenthesis.
  const end = stat.lastIndexOf(')');
  const fields = stat.slice(end + 2).split(' ');
  return {
    pid,
    parentPid: Number(fields[1]),
    name: stat.slice(stat.indexOf('(') + 1, end),
    cpuMicros: (Number(fields[11]) + Number(fields[12])) * MICROS_PER_TICK,
  };
}
