/** Nearly every activity ends with this status. The index by status leaves it out. */
export const completed = 'ACTIVITY_STATUS_COMPLETED';

const terminal = [completed, 'ACTIVITY_STATUS_FAILED', 'ACTIVITY_STATUS_REJECTED'];

/** Every status that the schema takes. */
export const statuses: ReadonlySet<string> = new Set([
  'ACTIVITY_STATUS_CREATED',
  'ACTIVITY_STATUS_PENDING',
  'ACTIVITY_STATUS_CONSENSUS_NEEDED',
  ...terminal,
]);

/** The statuses that are final, as SQL lists them. */
export const terminalList = terminal.map((status) => `'${status}'`).join(', ');
