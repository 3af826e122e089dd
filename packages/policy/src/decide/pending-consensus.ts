/** Approvals that are missing for one part of a consensus. */
export interface MissingApprovals {
  readonly count: number;
  /** The source text of the part of the consensus that requires them. */
  readonly requirement: string;
  /** Users who could provide one of them. */
  readonly userIds: readonly string[];
}

/** A consensus that is not met but still can be. */
export interface PendingConsensus {
  readonly missing: readonly MissingApprovals[];
}
