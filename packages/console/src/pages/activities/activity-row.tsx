import type { ListedActivity } from '@countersign/client';
import { quotedReference } from '@countersign/contract';
import { Link } from '@tanstack/react-router';
import { typeLabel } from '../../review/type-label.ts';
import { Name } from '../../ui/name.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';
import { StatusBadge } from '../approvals/status.tsx';

const texts = words.activities;

/** Row of the list that links to the activity. */
export function ActivityRow({ activity }: { activity: ListedActivity }) {
  return (
    <Link
      to="/activities/$activityId"
      params={{ activityId: activity.id }}
      className="flex items-center gap-3 border-b border-line px-4 py-2.5 hover:bg-sunken"
    >
      <ActivityLine activity={activity} />
    </Link>
  );
}

/** Type, user, time and status of an activity. */
export function ActivityLine({ activity }: { activity: ListedActivity }) {
  return (
    <>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium first-letter:uppercase">
          <Name text={activity.parsed?.description ?? typeLabel(activity.type)} />
        </span>
        <span className="block truncate text-sm text-quiet">
          {activity.parsed !== undefined && `${typeLabel(activity.type)} `}
          <Name text={texts.by(activity.votes[0]?.user.userName ?? texts.theService)} /> · <When at={activity.createdAt} />
          {activity.reference !== undefined && (
            <>
              {' · '}
              <Name text={quotedReference(activity.reference)} />
            </>
          )}
        </span>
      </span>
      <StatusBadge status={activity.status} />
    </>
  );
}
