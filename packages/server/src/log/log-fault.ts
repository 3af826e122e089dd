import { OperatorFault } from '@countersign/contract';
import { TlogFault } from '@countersign/tlog';

/** The stored log is not what this installation wrote, or not all of it. */
export class LogFault extends OperatorFault {
  override readonly name = 'LogFault';
}

const recover = "run 'countersign recover', which shows what is missing and is the way on";

/** For a part of the log that does not verify. */
export function logAltered(what: string, options?: ErrorOptions): LogFault {
  return new LogFault(
    `The stored log does not verify: ${what}.`,
    'Find out who wrote to the database, then restore it from a backup made before that.',
    options,
  );
}

/** For a log that has fewer leaves than this server has seen. */
export function logPutBack(seenSize: number, seenAtMs: number | undefined, size: number): LogFault {
  const when = seenAtMs === undefined ? '' : ` at ${new Date(seenAtMs).toISOString()}`;
  return new LogFault(
    `The database was put back, or it lost commits: its log has ${size} entries, and this server saw ${seenSize}${when}, so ${seenSize - size} are missing.`,
    `Bring the newest database back if there is one. Otherwise ${recover}.`,
  );
}

/** For a log that does not begin with the one that this server has seen. */
export function logForked(seenSize: number, seenAtMs: number | undefined, size: number): LogFault {
  const when = seenAtMs === undefined ? '' : ` at ${new Date(seenAtMs).toISOString()}`;
  return new LogFault(
    `The database has another history: its log of ${size} entries does not begin with the ${seenSize} that this server saw${when}. It was put back and went on, or it is another copy.`,
    `Bring the newest database back if there is one. Otherwise ${recover}.`,
  );
}

/** Runs a check of the log. What a proof or a tile refuses is a log that was altered; anything else is thrown on. */
export async function orAltered<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof TlogFault) throw logAltered(error.message, { cause: error });
    throw error;
  }
}
