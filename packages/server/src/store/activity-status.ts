/** Final status of nearly every activity. The index by status excludes it. */
export const completed = 'ACTIVITY_STATUS_COMPLETED';

const terminal = [completed, 'ACTIVITY_STATUS_FAILED', 'ACTIVITY_STATUS_REJECTED'];

/** Every status that the schema accepts. */
export const statuses: ReadonlySet<string> = new Set([
  'ACTIVITY_STATUS_CREATED',
  'ACTIVITY_STATUS_PENDING',
  'ACTIVITY_STATUS_CONSENSUS_NEEDED',
  ...terminal,
]);

/** Terminal statuses as an SQL list. */
export const terminalList = terminal.map((status) => `'${status}'`).join(', ');
