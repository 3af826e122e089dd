import type { ListedActivity } from '@countersign/client';
import type { Check } from '../../review/types.ts';
import type { Review } from '../../review/use-review.ts';

/** What a vote on a request needs. */
export interface DecideProps {
  activity: ListedActivity;
  check: Check;
  /** Undefined until every check has finished. */
  review: Review | undefined;
  error: Error | null;
}
