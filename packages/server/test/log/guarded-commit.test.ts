import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { openGuardedCommit } from '../../src/log/guarded-commit.ts';
import { LogError } from '../../src/log/log-error.ts';
import { DatabaseBehind, StoreUnavailable } from '../../src/store/store-errors.ts';

/** A commit that fails like this while the log has this error afterwards. */
async function failureOf(error: Error, noticed?: LogError): Promise<Error & { code?: string }> {
  let logError: LogError | undefined;
  const { commit, close } = openGuardedCommit(join(makeDataDirectory('guarded'), 'last-commits'), {
    clock: { settled: async () => undefined },
    fence: {
      async commit() {
        logError = noticed;
        throw error;
      },
    },
    log: { error: () => logError },
    unlogged: { begin: () => undefined, end: () => undefined },
    logger: { warn: () => undefined },
  });
  try {
    return (await commit([]).catch((reason: unknown) => reason)) as Error;
  } finally {
    close();
  }
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
  });
});
