/** Approvals that are missing for one part of a consensus. */
export interface MissingApprovals {
  readonly count: number;
  /** The part of the consensus that asks for them, in its source text. */
  readonly requirement: string;
  /** Users who could give one of them. */
  readonly userIds: readonly string[];
}

/** A consensus that is not met yet and still can be. */
export interface PendingConsensus {
  readonly missing: readonly MissingApprovals[];
}
