import type { ApprovalNoticeRow } from './rows.ts';

/** Whom to tell that something waits for their approval. As with the outbox, one notifier serves all organizations. */
export interface NoticeStore {
  /** Something waits for this user. It is told at `dueAtMs`, or `pauseMs` after the user was told last, whichever is later. */
  wish(notice: Pick<ApprovalNoticeRow, 'organizationId' | 'userId' | 'dueAtMs'>, pauseMs: number): Promise<void>;
  /** Up to `limit` users who are to be told now. Nobody else is given them before `leaseMs` have passed; then they are due again. */
  claim(nowMs: number, leaseMs: number, limit: number): Promise<readonly ApprovalNoticeRow[]>;
  /**
   * Ends a claim. The user was told at `toldAtMs`. What came up since the claim is told `pauseMs` later. Does nothing if the lease ran
   * out and somebody else has the claim.
   */
  settle(claimed: ApprovalNoticeRow, toldAtMs: number, pauseMs: number): Promise<void>;
}
