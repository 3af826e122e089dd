import { describe, expect, test } from 'vitest';
import { createGuardedCommit } from '../../src/log/guarded-commit.ts';
import { LogError, WitnessAbsent } from '../../src/log/log-error.ts';
import { UnloggedError } from '../../src/log/unlogged-commits.ts';
import { DatabaseBehind, StoreUnavailable } from '../../src/store/store-errors.ts';

/** A commit that fails like this while the log has this error afterwards. */
async function failureOf(error: Error, noticed?: LogError): Promise<Error & { code?: string }> {
  let logError: LogError | undefined;
  const { commit } = createGuardedCommit({
    clock: { settled: async () => undefined },
    fence: {
      async commit() {
        logError = noticed;
        throw error;
      },
    },
    log: { error: () => logError },
    unlogged: { begin: () => undefined, end: () => undefined },
  });
  return (await commit([]).catch((reason: unknown) => reason)) as Error;
}

describe('a commit that the database does not confirm', () => {
  const lost = new StoreUnavailable('the connection was lost', { outcomeUnknown: true });

  test('is not advised to be sent again if the database lost commits', async () => {
    const advice = {
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/suspended.*Ask the operator before you send it again/),
    };
    expect(await failureOf(new DatabaseBehind('3 commits are missing'))).toMatchObject(advice);
    expect(await failureOf(lost, new LogError('rolled back', 'Restore it.'))).toMatchObject(advice);
  });

  test('may be sent again otherwise', async () => {
    expect(await failureOf(lost)).toBe(lost);
    expect(await failureOf(lost, new WitnessAbsent(30))).toBe(lost);
    expect(await failureOf(lost, new UnloggedError('not in the log', 'Wait.'))).toBe(lost);
  });
});
