import { OperatorError } from '@countersign/contract';
import { TlogError } from '@countersign/tlog';

/** The stored log is not what this installation wrote, or not all of it. */
export class LogError extends OperatorError {
  override readonly name = 'LogError';
}

const recover = "run 'countersign recover', which shows what is missing and is the way on";

/** For a part of the log that does not verify. */
export function logAltered(what: string, options?: ErrorOptions): LogError {
  return new LogError(
    `The stored log does not verify: ${what}.`,
    'Find out who wrote to the database, then restore it from a backup made before that.',
    options,
  );
}

/** For a log that has fewer leaves than this server has seen. */
export function logPutBack(seenSize: number, seenAtMs: number | undefined, size: number): LogError {
  const when = seenAtMs === undefined ? '' : ` at ${new Date(seenAtMs).toISOString()}`;
  return new LogError(
    `The database was put back, or it lost commits: its log has ${size} entries, and this server saw ${seenSize}${when}, so ${seenSize - size} are missing.`,
    `Bring the newest database back if there is one. Otherwise ${recover}.`,
  );
}

/** For a database that lacks an activity which this server had it take. */
export function commitLost(lost: { organizationId: string; activityId: string; revision: number }): LogError {
  const { organizationId, activityId, revision } = lost;
  const what = revision === 0 ? 'lacks it' : `lacks it, or has it as it was before its step ${revision}`;
  return new LogError(
    `The database was put back, or it lost commits: it had taken the activity ${activityId} of organization ${organizationId} from this server, and now ${what}.`,
    `Bring the newest database back if there is one. Otherwise ${recover}.`,
  );
}

/** For a database that a new connection found to have less than this server has seen. */
export function databaseBehind(found: string): LogError {
  const sentence = `${found.charAt(0).toUpperCase()}${found.slice(1)}.`;
  return new LogError(sentence, `Bring the newest database back if there is one. Otherwise ${recover}.`);
}

/** For a log that does not begin with the one that this server has seen. */
export function logForked(seenSize: number, seenAtMs: number | undefined, size: number): LogError {
  const when = seenAtMs === undefined ? '' : ` at ${new Date(seenAtMs).toISOString()}`;
  return new LogError(
    `The database has another history: its log of ${size} entries does not begin with the ${seenSize} that this server saw${when}. It was put back and went on, or it is another copy.`,
    `Bring the newest database back if there is one. Otherwise ${recover}.`,
  );
}

const oneCopy =
  "Let one copy of this installation run, the one with the newest database. If that database is lost, accept it with 'countersign recover' and give the log a new name with --log-origin: a witness never goes back.";

/** For a witness that has cosigned more of this log than there is. */
export function witnessAhead(witness: string, witnessSize: number, size: number): LogError {
  return new LogError(
    `The witness ${witness} has cosigned ${witnessSize} entries of this log, and the database has ${size}: another copy of this installation went on, or this database was put back.`,
    oneCopy,
  );
}

/** For a witness that has cosigned another history under the name of this log. */
export function witnessDisagrees(witness: string, size: number): LogError {
  return new LogError(
    `The witness ${witness} has cosigned another history of this log than the ${size} entries here: another copy of this installation went on, or this database was put back.`,
    oneCopy,
  );
}

/** The log is not known to be wrong, but no witness has confirmed it. */
export class WitnessAbsent extends LogError {
  constructor(seconds: number) {
    super(
      `No witness has confirmed the log within the last ${seconds} seconds, which --require-witness asks for.`,
      'Bring a witness back, or the network to it. The messages of the server say what each witness answers.',
    );
  }
}

/** Runs a check of the log. Reports a failed proof or tile as an altered log; rethrows other errors. */
export async function orAltered<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof TlogError) throw logAltered(error.message, { cause: error });
    throw error;
  }
}
