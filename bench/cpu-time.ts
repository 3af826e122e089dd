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

/**
 * The same in nanoseconds, as the scheduler counts them for each thread: for what takes less than a tick. Threads that have ended are
 * not counted.
 */
export function cpuNanosOf(pids: readonly number[]): number {
  const threads = pids.flatMap((pid) =>
    (whileThere(() => readdirSync(`/proc/${pid}/task`)) ?? []).map((id) => [pid, id] as const),
  );
  return threads.reduce((sum, [pid, thread]) => sum + threadNanosOf(pid, thread), 0);
}

/** The CPU time that the main thread of a process has used since it started. */
export function mainThreadMicrosOf(pid: number): number {
  return threadNanosOf(pid, pid) / 1_000;
}

function threadNanosOf(pid: number, thread: number | string): number {
  const schedstat = whileThere(() => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1'));
  return Number(schedstat?.split(' ')[0] ?? 0);
}

/** Undefined if the process or thread ended before it was read. */
function whileThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // It ended between listing and reading.
    return undefined;
  }
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
  const stat = whileThere(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  if (stat === undefined) return undefined;
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
