import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('call-fault.c', import.meta.url));

/** How one call fails: with an error, or by the death of the process before or after it. */
export type CallFailure = 'EIO' | 'ENOSPC' | 'kill-before' | 'kill-after';

/** A call by which a process changes a file, or a message to the database server. */
export interface Call {
  readonly kind: string;
  /** Counted from 1 among the calls of its kind, so that messages to the database do not move the numbers of file calls. */
  readonly number: number;
  /** The path of the file. */
  readonly target: string;
}

export interface WatchedPlace {
  /** Only files below it count. */
  readonly directory: string;
  readonly databaseUrl?: string | undefined;
}

type Environment = Readonly<Record<string, string>>;

/** A library between a process and libc that lists its calls, or makes one of them fail. Needs no privileges. */
export interface CallFaults {
  /** The environment of a process whose calls are listed. `calls` returns them once it has ended. */
  list(place: WatchedPlace): { readonly environment: Environment; calls(): readonly Call[] };
  /** The environment of a process whose given call fails. */
  fail(place: WatchedPlace, call: Pick<Call, 'kind' | 'number'>, how: CallFailure): Environment;
  remove(): void;
}

/** Why calls cannot fail on this machine. Undefined if they can. */
export function missingForCallFaults(): string | undefined {
  if (process.platform !== 'linux') return 'LD_PRELOAD and /proc need Linux';
  return spawnSync('cc', ['--version']).status === 0 ? undefined : 'a C compiler (cc) is needed';
}

/** Compiles the library. */
export function createCallFaults(): CallFaults {
  const home = mkdtempSync(join(tmpdir(), 'countersign-calls-'));
  const library = join(home, 'call-fault.so');
  const built = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl'], { encoding: 'utf8' });
  if (built.status !== 0 || !existsSync(library)) throw new Error(`the library does not compile: ${built.stderr}`);
  let lists = 0;
  const watch = ({ directory, databaseUrl }: WatchedPlace): Environment => ({
    LD_PRELOAD: library,
    CALL_FAULT_DIRECTORY: directory,
    ...(databaseUrl !== undefined && { CALL_FAULT_PORT: new URL(databaseUrl).port }),
  });
  return {
    list(place) {
      const file = join(home, `list-${++lists}`);
      const calls = () => readCalls(existsSync(file) ? readFileSync(file, 'utf8') : '');
      return { environment: { ...watch(place), CALL_FAULT_LIST: file }, calls };
    },
    fail: (place, { kind, number }, how) => ({
      ...watch(place),
      CALL_FAULT_KIND: kind,
      CALL_FAULT_NUMBER: String(number),
      CALL_FAULT_HOW: how,
    }),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

function readCalls(text: string): readonly Call[] {
  const counts = new Map<string, number>();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [kind = '', ...target] = line.split(' ');
      const number = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, number);
      return { kind, number, target: target.join(' ') };
    });
}
