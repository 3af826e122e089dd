import type pg from 'pg';
import { expect, test } from 'vitest';
import { createProgressGuard } from '../../src/store/postgres/progress.ts';
import { DatabaseBehind } from '../../src/store/store-errors.ts';

const activity = (id: string) => ({ organizationId: 'o', id, revision: 0 });

/** A database that has all commits but `lost` of those that it is asked for. */
function clientOf(lost: number, whileAsked: () => void): pg.ClientBase {
  const query = async (_sql: string, params?: readonly (readonly unknown[])[]) => {
    if (params === undefined) return { rows: [{ standby: false, size: 0, server: 'now' }] };
    whileAsked();
    return { rows: [{ kept: (params[0]?.length ?? 0) - lost }] };
  };
  return { query } as unknown as pg.ClientBase;
}

test('a commit while a new connection asks for the last ones is not missed', async () => {
  const guard = createProgressGuard(10);
  guard.noteCommit(activity('first'));
  const committing = () => guard.noteCommit(activity('second'));
  await expect(guard.check(clientOf(0, committing))).resolves.toBeUndefined();
});

test('a commit that is gone is missed, also while others are made', async () => {
  const guard = createProgressGuard(1);
  guard.noteCommit(activity('first'));
  await expect(guard.check(clientOf(1, () => guard.noteCommit(activity('second'))))).rejects.toThrow(DatabaseBehind);
});

/** A database whose log has a size, and that answers after `whileAsked`. */
function clientWithLog(size: number, whileAsked: () => void = () => undefined): pg.ClientBase {
  const query = async () => {
    whileAsked();
    return { rows: [{ standby: false, size, server: 'now' }] };
  };
  return { query } as unknown as pg.ClientBase;
}

test('a log that grows while a new connection asks for its size is not behind', async () => {
  const guard = createProgressGuard(1);
  guard.note(5);
  await expect(guard.check(clientWithLog(5, () => guard.note(6)))).resolves.toBeUndefined();
  await expect(guard.check(clientWithLog(5))).rejects.toThrow('its log has 5 entries, and this server saw 6');
});
