import { describe, expect, test } from 'vitest';
import { createOrganizationLock } from '../../src/pipeline/commit/organization-lock.ts';
import { MAX_ATTEMPTS, retryAttempts } from '../../src/pipeline/commit/retry.ts';
import type { Submitted } from '../../src/pipeline/request.ts';
import { Answer, Retry, type RetryReason } from '../../src/pipeline/stages.ts';

const success = { record: { id: 'new' } } as Submitted;
const stored = { record: { id: 'stored' } } as Submitted;
const organizationId = 'o';
/** A process without others. */
const alone = { lockNodes: (_: string, task: () => Promise<void>) => task(), refresh: async () => false, timeoutMs: 60_000 };

/** Runs attempts with the given outcomes, and records what happens around them. */
function scene(outcomes: readonly (RetryReason | Submitted | Answer)[], isLocked = false) {
  const sharedByNodes: number[] = [];
  const lock = createOrganizationLock({
    ...alone,
    lockNodes(_, task) {
      sharedByNodes.push(locks.length - 1);
      return task();
    },
  });
  /** For each attempt, whether it took the lock. */
  const locks: boolean[] = [];
  const dropped: string[] = [];
  let answers = 0;
  const recordingLock: typeof lock = {
    run(id, task, lost) {
      locks[locks.length - 1] = true;
      return lock.run(id, task, lost);
    },
  };
  const done = retryAttempts(
    { organizations: { snapshots: { expire: (id) => void dropped.push(id) } }, commits: { lock: recordingLock } },
    {
      organizationId,
      isLocked,
      attempt: (locked) => {
        const outcome = outcomes[Math.min(locks.length, outcomes.length - 1)] as RetryReason | Submitted | Answer;
        locks.push(false);
        return locked(async () => (typeof outcome === 'string' ? new Retry(outcome) : outcome));
      },
      // It takes the lock, as a vote does. This hangs if the attempt still holds it.
      answerStored: () =>
        lock.run(organizationId, async () => {
          answers++;
          return stored;
        }),
      conflict: 'It kept changing.',
    },
  );
  return { done, locks, sharedByNodes, dropped, answers: () => answers };
}

describe('the retry table', () => {
  test.each([
    { reason: 'VERSION_MOVED', reload: true, takesLock: false },
    { reason: 'CHANGE_CONFLICT', reload: true, takesLock: true },
    { reason: 'REVISION_MOVED', reload: true, takesLock: false },
    { reason: 'USAGE_MOVED', reload: false, takesLock: false },
  ] as const)('$reason: retries, reload $reload, lock $takesLock', async ({ reason, reload, takesLock }) => {
    const { done, locks, dropped, answers } = scene([reason, success]);
    expect(await done).toBe(success);
    expect(locks).toEqual([false, takesLock]);
    expect(dropped).toEqual(reload ? [organizationId] : []);
    expect(answers()).toBe(0);
  });

  test.each([false, true])('FINGERPRINT_EXISTS: answers with the stored activity, locked %s', async (isLocked) => {
    const { done, locks, dropped, answers } = scene(['FINGERPRINT_EXISTS'], isLocked);
    expect(await done).toBe(stored);
    expect(locks).toEqual([isLocked]);
    expect(dropped).toEqual([]);
    expect(answers()).toBe(1);
  });
});

describe('attempts', () => {
  test('end with the first success', async () => {
    const { done, locks } = scene([success]);
    expect(await done).toBe(success);
    expect(locks).toEqual([false]);
  });

  test('end with an answer', async () => {
    const { done, locks } = scene(['USAGE_MOVED', new Answer(stored)]);
    expect(await done).toBe(stored);
    expect(locks).toEqual([false, false]);
  });

  test('keep the lock after a conflict of changes', async () => {
    const { done, locks } = scene(['CHANGE_CONFLICT', 'USAGE_MOVED', success]);
    await done;
    expect(locks).toEqual([false, true, true]);
  });

  test('take the lock after three losses, whatever the reason', async () => {
    const { done, locks } = scene(['USAGE_MOVED', 'VERSION_MOVED', 'REVISION_MOVED', 'USAGE_MOVED', success]);
    await done;
    expect(locks).toEqual([false, false, false, true, true]);
  });

  test('take the lock of all nodes only after a loss', async () => {
    const { done, locks, sharedByNodes } = scene(['VERSION_MOVED', 'VERSION_MOVED', success], true);
    await done;
    expect(locks).toEqual([true, true, true]);
    expect(sharedByNodes).toEqual([1, 2]);
  });

  test('end with CONFLICT if each loses', async () => {
    const { done, locks, answers } = scene(['VERSION_MOVED']);
    await expect(done).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'It kept changing. Nothing was executed; send the same request again.',
    });
    expect(locks).toHaveLength(MAX_ATTEMPTS);
    expect(answers()).toBe(0);
  });

  test('end with an error, which is not retried', async () => {
    let attempts = 0;
    const failing = retryAttempts(
      {
        organizations: { snapshots: { expire: () => undefined } },
        commits: { lock: createOrganizationLock(alone) },
      },
      {
        organizationId,
        isLocked: false,
        attempt() {
          attempts++;
          return Promise.reject(new Error('no'));
        },
        answerStored: async () => stored,
        conflict: '',
      },
    );
    await expect(failing).rejects.toThrow('no');
    expect(attempts).toBe(1);
  });
});
