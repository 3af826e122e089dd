import { OperatorError } from '@countersign/contract';
import { TlogError } from '@countersign/tlog';

/** The stored log was altered or is incomplete. */
export class LogError extends OperatorError {
  override readonly name = 'LogError';
}

const recover = "run 'countersign recover', which shows what is missing and how to continue";

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
    `The database was rolled back or lost commits: its log has ${size} entries, but this server saw ${seenSize}${when}, so ${seenSize - size} are missing.`,
    `Restore the newest database if you have it. Otherwise ${recover}.`,
  );
}

/** For a database that lacks an activity which this server committed. */
export function commitLost(lost: { organizationId: string; activityId: string; revision: number }): LogError {
  const { organizationId, activityId, revision } = lost;
  const what = revision === 0 ? 'lacks it' : `lacks it, or has a revision before ${revision}`;
  return new LogError(
    `The database was rolled back or lost commits: it had accepted the activity ${activityId} of organization ${organizationId} from this server, and now ${what}.`,
    `Restore the newest database if you have it. Otherwise ${recover}.`,
  );
}

/** For an activity that this server committed and that the log lacks. */
export function commitUnlogged({ organizationId, activityId }: { organizationId: string; activityId: string }): LogError {
  return new LogError(
    `The activity ${activityId} of organization ${organizationId} was executed by this server and is not in the log: its entry was deleted.`,
    `Find out who wrote to the database, then restore it from a backup made before that. Otherwise ${recover}.`,
  );
}

/** For a new connection to a database that has less than this server has seen. */
export function databaseBehind(found: string): LogError {
  const sentence = `${found.charAt(0).toUpperCase()}${found.slice(1)}.`;
  return new LogError(sentence, `Restore the newest database if you have it. Otherwise ${recover}.`);
}

/** For a log that does not extend the one that this server has seen. */
export function logForked(seenSize: number, seenAtMs: number | undefined, size: number): LogError {
  const when = seenAtMs === undefined ? '' : ` at ${new Date(seenAtMs).toISOString()}`;
  return new LogError(
    `The database has another history: its log of ${size} entries does not start with the ${seenSize} that this server saw${when}. It was rolled back and then used, or it is another copy.`,
    `Restore the newest database if you have it. Otherwise ${recover}.`,
  );
}

const oneCopy =
  "Run only one copy of this installation, the one with the newest database. If that database is lost, accept the loss with 'countersign recover' and give the log a new name with --log-origin: a witness never accepts an older log.";

/** For a witness that has cosigned more entries than the log has. */
export function witnessAhead(witness: string, witnessSize: number, size: number): LogError {
  return new LogError(
    `The witness ${witness} has cosigned ${witnessSize} entries of this log, but the database has ${size}: another copy of this installation is in use, or this database was rolled back.`,
    oneCopy,
  );
}

/** For a witness that has cosigned another history under the name of this log. */
export function witnessDisagrees(witness: string, size: number): LogError {
  return new LogError(
    `The witness ${witness} has cosigned a history of this log that differs from the ${size} entries here: another copy of this installation is in use, or this database was rolled back.`,
    oneCopy,
  );
}

/** The log is not known to be wrong, but no witness has confirmed it. */
export class WitnessAbsent extends LogError {
  constructor(seconds: number) {
    super(
      `No witness has confirmed the log within the last ${seconds} seconds, which --require-witness requires.`,
      'Check the witnesses and the network to them. The log of the server shows the response of each witness.',
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
