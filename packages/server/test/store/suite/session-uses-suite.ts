import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import type { SessionUseRow } from '../../../src/store/rows.ts';
import type { Subject } from './describe-store.ts';

/** Uses of sessions belong to a user of one organization, and are rarely written. */
export function sessionUsesSuite(subject: () => Subject): void {
  describe('uses of sessions', () => {
    /** Later than the rows of other tests. */
    const NOW_MS = 2_000_000_000_000;
    const row = (organizationId: string, fields: Partial<SessionUseRow> = {}): SessionUseRow => ({
      organizationId,
      userId: 'ann',
      id: uuidv7(),
      kind: 'used',
      atMs: NOW_MS,
      expiresAtMs: NOW_MS + 1_000,
      body: '{}',
      mac: Uint8Array.of(1),
      ...fields,
    });
    const uses = () => subject().store.sessionUses;

    test('are those of one user of one organization, or of one session', async () => {
      const [one, other] = [uuidv7(), uuidv7()];
      const rows = [row(one), row(one), row(one, { userId: 'bob' }), row(other)];
      await uses().add([], 1);
      await uses().add(rows, 1);
      expect(await uses().of(one, 'ann')).toEqual([rows[0], rows[1]]);
      expect(await uses().of(one, 'ann', rows[1]?.id)).toEqual([rows[1]]);
      expect(await uses().of(one, 'bob')).toEqual([rows[2]]);
      expect(await uses().of(other, 'bob')).toEqual([]);
      await uses().remove(one, 'bob', rows[0]?.id as string);
      await uses().remove(one, 'ann', rows[0]?.id as string);
      expect(await uses().of(one, 'ann')).toEqual([rows[1]]);
    });

    test('D1022: how a session was opened does not change, and its last use only after some time', async () => {
      const organizationId = uuidv7();
      const [opened, used] = [row(organizationId, { id: 'a', kind: 'opened' }), row(organizationId, { id: 'a' })];
      await uses().add([opened, used], 100);
      const later = (row: SessionUseRow, ms: number) => ({ ...row, atMs: row.atMs + ms, body: '{"device":"later"}' });
      await uses().add([later(opened, 500), later(used, 99)], 100);
      expect(await uses().of(organizationId, 'ann')).toEqual([opened, used]);
      await uses().add([later(opened, 500), later(used, 100)], 100);
      expect(await uses().of(organizationId, 'ann')).toEqual([opened, later(used, 100)]);
    });

    test('D1023: are forgotten when the session has expired', async () => {
      const organizationId = uuidv7();
      const [past, present] = [row(organizationId, { expiresAtMs: 999 }), row(organizationId)];
      await uses().add([past, present], 1);
      await uses().sweep(1_000);
      expect(await uses().of(organizationId, 'ann')).toEqual([present]);
    });
  });
}
