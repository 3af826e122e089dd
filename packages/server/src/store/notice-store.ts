import type { ApprovalNoticeRow } from './rows.ts';

/** Notifications about activities that need a user's approval. As with the outbox, one notifier serves all organizations. */
export interface NoticeStore {
  /** Requests a notification. It is due at `dueAtMs`, or `pauseMs` after the user's last notification, whichever is later. */
  wish(notice: Pick<ApprovalNoticeRow, 'organizationId' | 'userId' | 'dueAtMs'>, pauseMs: number): Promise<void>;
  /** Claims up to `limit` users with a due notification. No other node can claim them for `leaseMs`; then they are due again. */
  claim(nowMs: number, leaseMs: number, limit: number): Promise<readonly ApprovalNoticeRow[]>;
  /**
   * Ends a claim with a notification that was sent at `toldAtMs`. Requests since the claim are due `pauseMs` later. Does nothing if the
   * lease expired and another node has the claim.
   */
  finish(claimed: ApprovalNoticeRow, toldAtMs: number, pauseMs: number): Promise<void>;
}
