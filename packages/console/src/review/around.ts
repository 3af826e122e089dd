import type { ListedActivity } from '@countersign/client';
import type { ProvenPast } from './past.ts';
import type { Knowledge } from './types.ts';

/** What a request is compared with. */
export interface Around {
  readonly activity: ListedActivity;
  readonly knowledge: Knowledge;
  /** Recently signed transactions, as the service lists them. */
  readonly past: readonly ListedActivity[];
  /** Pending requests. */
  readonly open: readonly ListedActivity[];
  readonly proven: ProvenPast;
}
