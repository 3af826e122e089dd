/** What was checked so far. */
export interface Tally {
  activities: number;
  stamps: number;
  stampsNotShown: number;
  /** Among the stamps: made by the service for a caller of the JSON-RPC endpoint. */
  stampsByService: number;
  decisions: number;
  decisionsWithNotes: number;
  decisionsNotJudged: number;
  countsChecked: number;
  sumsTaken: number;
  rejections: number;
  judgedByParent: number;
  /** Among them: leaves of version 1, which do not say who authorized them. */
  claimedByParent: number;
  /** Votes that match the authorization in the log. */
  authorizations: number;
  authorizationsNotChecked: number;
  systemChanges: number;
  bodiesWithheld: number;
  credentials: number;
  changes: number;
  signatures: number;
}

export function emptyTally(): Tally {
  return {
    activities: 0,
    stamps: 0,
    stampsNotShown: 0,
    stampsByService: 0,
    decisions: 0,
    decisionsWithNotes: 0,
    decisionsNotJudged: 0,
    countsChecked: 0,
    sumsTaken: 0,
    rejections: 0,
    judgedByParent: 0,
    claimedByParent: 0,
    authorizations: 0,
    authorizationsNotChecked: 0,
    systemChanges: 0,
    bodiesWithheld: 0,
    credentials: 0,
    changes: 0,
    signatures: 0,
  };
}
