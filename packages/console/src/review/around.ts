import type { ListedActivity } from '@countersign/client';
import type { Earlier } from './earlier-payments.ts';
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
  /** Whether there are pending requests that are not among these. */
  readonly hasMoreOpen?: boolean | undefined;
  /** Payments to the same receivers that are not among the recent ones. */
  readonly earlier?: Earlier;
  readonly proven: ProvenPast;
}
