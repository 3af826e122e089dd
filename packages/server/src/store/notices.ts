import type { NoticeStore } from './notice-store.ts';
import { defineStatement, type Read } from './statement.ts';
import { approvalNotices } from './tables.ts';

const wish = defineStatement(
  'notices_wish',
  `INSERT INTO approval_notices (organization_id, user_id, due_at_ms, told_at_ms, wishes) VALUES (?, ?, ?, 0, 1)
   ON CONFLICT (organization_id, user_id) DO UPDATE SET wishes = approval_notices.wishes + 1, due_at_ms = CASE
     WHEN approval_notices.due_at_ms > 0 THEN approval_notices.due_at_ms
     WHEN approval_notices.told_at_ms + ? > excluded.due_at_ms THEN approval_notices.told_at_ms + ?
     ELSE excluded.due_at_ms END RETURNING wishes`,
);
/** INVARIANT: if two nodes claim concurrently, the second one sees the later due time and does not claim the row. */
const claim = defineStatement(
  'notices_claim',
  `UPDATE approval_notices SET due_at_ms = ? WHERE due_at_ms > 0 AND due_at_ms <= ? AND (organization_id, user_id) IN (
     SELECT organization_id, user_id FROM approval_notices WHERE due_at_ms > 0 AND due_at_ms <= ? ORDER BY due_at_ms LIMIT ?)
   RETURNING ${approvalNotices.list}`,
);
const finish = defineStatement(
  'notices_settle',
  `UPDATE approval_notices SET told_at_ms = ?, due_at_ms = CASE WHEN wishes = ? THEN 0 ELSE CAST(? AS bigint) END
   WHERE organization_id = ? AND user_id = ? AND due_at_ms = ? RETURNING user_id`,
);

/** Notifications, shared by both engines. */
export function createNotices(read: Read): NoticeStore {
  return {
    async wish({ organizationId, userId, dueAtMs }, pauseMs) {
      await read(wish, [organizationId, userId, dueAtMs, pauseMs, pauseMs]);
    },
    claim: async (nowMs, leaseMs, limit) =>
      (await read(claim, [nowMs + leaseMs, nowMs, nowMs, limit])).map(approvalNotices.decode),
    async finish({ organizationId, userId, dueAtMs, wishes }, toldAtMs, pauseMs) {
      await read(finish, [toldAtMs, wishes, toldAtMs + pauseMs, organizationId, userId, dueAtMs]);
    },
  };
}
