import type { ListedActivity } from '@countersign/client';
import { Link } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { usePages } from '../../data/service-query.ts';
import { typeLabel } from '../../review/type-label.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Name } from '../../ui/name.tsx';
import { Empty, Loading, PageHead } from '../../ui/page.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';
import { StatusBadge } from '../approvals/status.tsx';
import { type Kind, typesOf } from './kinds.ts';

const texts = words.activities;
const statuses = ['COMPLETED', 'CONSENSUS_NEEDED', 'REJECTED', 'FAILED'] as const;
type Status = `ACTIVITY_STATUS_${(typeof statuses)[number]}`;

/** Activity list with filters and live updates. */
export function ActivitiesPage() {
  const [status, setStatus] = useState('');
  const [kind, setKind] = useState('');
  const [text, setText] = useState('');
  const input = {
    ...(status !== '' && { filterByStatus: [status as Status] }),
    ...(kind !== '' && { filterByType: typesOf(kind as Kind) }),
  };
  const pages = usePages(
    'listActivities',
    input,
    (page) => page.activities,
    ({ id }) => id,
  );
  const { items, hasMore, fetchNextPage, isFetchingNextPage } = pages;
  const found = useMemo(() => items.filter((activity) => matches(activity, text)), [items, text]);
  const more = useCallback(() => {
    if (hasMore && !isFetchingNextPage) void fetchNextPage();
  }, [hasMore, isFetchingNextPage, fetchNextPage]);
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead} />
      <div className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-[12rem_14rem_1fr] [&>:last-child]:col-span-2 sm:[&>:last-child]:col-span-1">
        <SelectField
          label={texts.status}
          value={status}
          onChange={setStatus}
          options={[
            { value: '', label: words.common.all },
            ...statuses.map((each) => ({
              value: `ACTIVITY_STATUS_${each}`,
              label: words.statuses[`ACTIVITY_STATUS_${each}`] ?? each,
            })),
          ]}
        />
        <SelectField
          label={texts.kind}
          value={kind}
          onChange={setKind}
          options={Object.entries(texts.kinds).map(([value, label]) => ({ value: value === 'all' ? '' : value, label }))}
        />
        <TextField
          label={words.common.search}
          placeholder={texts.searchHint}
          value={text}
          onChange={setText}
          type="search"
          search
        />
      </div>
      {pages.error ? (
        <ErrorMessage error={pages.error} retry={() => void pages.refetch()} />
      ) : pages.isPending ? (
        <Loading />
      ) : found.length === 0 ? (
        <Empty icon="activities" title={texts.empty.title} text={texts.empty.text} />
      ) : (
        <div className="card overflow-hidden">
          <VirtualList label={texts.title} items={found} keyOf={({ id }) => id} estimate={64} more={hasMore ? more : undefined}>
            {(activity) => <ActivityRow activity={activity} />}
          </VirtualList>
        </div>
      )}
    </>
  );
}

function matches({ id, type, parsed, votes }: ListedActivity, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return (
    wanted === '' ||
    `${id} ${typeLabel(type)} ${parsed?.description ?? ''} ${votes[0]?.user.userName ?? ''}`.toLowerCase().includes(wanted)
  );
}

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
        </span>
      </span>
      <StatusBadge status={activity.status} />
    </>
  );
}
