import type { Activities } from '@countersign/contract';

/** Activities that a button submits. Votes are not among them: they are never denied for all requests. */
export type SubmittedName = Exclude<keyof Activities, 'approveActivity' | 'rejectActivity'>;
