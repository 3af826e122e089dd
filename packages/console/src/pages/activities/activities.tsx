import type { ListedActivity } from '@countersign/client';
import { quotedReference } from '@countersign/contract';
import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { messageOf } from '../../data/errors.ts';
import { usePages } from '../../data/service-query.ts';
import { dateTimeText } from '../../data/time.ts';
import { typeLabel } from '../../review/type-label.ts';
import { useSession } from '../../session/context.tsx';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Name } from '../../ui/name.tsx';
import { Empty, Loading } from '../../ui/page.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { useToast } from '../../ui/toast.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';
import { StatusBadge } from '../approvals/status.tsx';
import { ChosenKey, ChosenPerson } from './chosen.tsx';
import { exportActivities, MAX_EXPORTED } from './export.ts';
import { type Filter, filterOf, meaningOf, type SearchInput, searchInput } from './filter.ts';
import { MoreFilters } from './more-filters.tsx';
import { Named } from './named.tsx';
import { useSearch } from './use-search.ts';
import { ViewList } from './view-list.tsx';

const texts = words.activities;
const statuses = ['COMPLETED', 'CONSENSUS_NEEDED', 'REJECTED', 'FAILED'] as const;

/** Activities, searched by the service, with live updates. The address of the page contains the filter. */
export function ActivitiesPage() {
  const navigate = useNavigate();
  const search = useRouterState({ select: ({ location }) => location.search as object });
  const filter = useMemo(() => filterOf(search), [search]);
  const [text, setText] = useState('');
  const meaning = useMemo(() => meaningOf(text), [text]);
  const change = (next: Filter) => void navigate({ to: '/activities', search: next as never, replace: true });
  const asked = useMemo(
    () => searchInput(meaning !== undefined && 'filter' in meaning ? { ...filter, ...meaning.filter } : filter),
    [filter, meaning],
  );
  const input = useDeferredValue(asked);
  const only = (name: 'status' | 'kind', value: string) => {
    const { [name]: _, ...rest } = filter;
    change(value === '' ? rest : { ...rest, [name]: value });
  };
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        <Export input={input} />
      </PageHead>
      <div className="mb-3 grid grid-cols-2 gap-3 sm:grid-cols-[12rem_14rem_1fr] [&>:last-child]:col-span-2 sm:[&>:last-child]:col-span-1">
        <SelectField
          label={texts.status}
          value={filter.status ?? ''}
          onChange={(value) => only('status', value)}
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
          value={filter.kind ?? ''}
          onChange={(value) => only('kind', value)}
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
      <div className="mb-4">
        <MoreFilters filter={filter} onChange={change} />
      </div>
      <ViewList filter={filter} onOpen={change} />
      {meaning?.is === 'name' && (
        <Named
          text={meaning.text}
          onChoose={(next) => {
            setText('');
            change({ ...filter, ...next });
          }}
        />
      )}
      {meaning?.is === 'activity' && (
        <p className="mb-4">
          <Link to="/activities/$activityId" params={{ activityId: meaning.id }} className="text-accent underline">
            {texts.filters.openId}
          </Link>
        </p>
      )}
      {(filter.user ?? filter.key) !== undefined && (
        <p className="mb-4 flex flex-wrap items-center gap-2">
          {filter.user !== undefined && <ChosenPerson userId={filter.user} />}
          {filter.key !== undefined && <ChosenKey keyId={filter.key} />}
          <Button
            look="quiet"
            onClick={() => {
              const { user: _, key: __, ...rest } = filter;
              change(rest);
            }}
          >
            {texts.filters.clear}
          </Button>
        </p>
      )}
      <Found input={input} />
    </>
  );
}

/** Plain lists come from `list_activities`, which frozen members of the root quorum may read too. */
function Found({ input }: { input: SearchInput }) {
  const { filterByStatus, filterByType, ...searched } = input;
  if (Object.keys(searched).length > 0) return <Searched input={input} />;
  return <Listed input={{ ...(filterByStatus && { filterByStatus }), ...(filterByType && { filterByType }) }} />;
}

function Listed({ input }: { input: Pick<SearchInput, 'filterByStatus' | 'filterByType'> }) {
  const pages = usePages(
    'listActivities',
    input,
    (page) => page.activities,
    ({ id }) => id,
  );
  const { items, hasMore, fetchNextPage, isFetchingNextPage } = pages;
  const more = useCallback(() => {
    if (hasMore && !isFetchingNextPage) void fetchNextPage();
  }, [hasMore, isFetchingNextPage, fetchNextPage]);
  if (pages.error) return <ErrorMessage error={pages.error} retry={() => void pages.refetch()} />;
  if (pages.isPending) return <Loading />;
  return items.length === 0 ? <NoMatch /> : <Rows items={items} more={hasMore ? more : undefined} />;
}

function Searched({ input }: { input: SearchInput }) {
  const { query, items, searchedToMs, isSearching } = useSearch(input);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  if (query.error && items.length === 0) return <ErrorMessage error={query.error} retry={() => void query.refetch()} />;
  if (isSearching) return <Loading />;
  return (
    <>
      {items.length === 0 ? (
        <NoMatch searchedToMs={searchedToMs} />
      ) : (
        <Rows items={items} more={hasNextPage ? more : undefined} />
      )}
      {searchedToMs !== undefined && (
        <div className="mt-3 flex flex-wrap items-center gap-3 text-sm text-quiet">
          {items.length > 0 && texts.filters.searchedTo(dateTimeText(searchedToMs))}
          <Button busy={isFetchingNextPage} onClick={more}>
            {texts.filters.further}
          </Button>
        </div>
      )}
    </>
  );
}

function NoMatch({ searchedToMs }: { searchedToMs?: number | undefined }) {
  const text = searchedToMs === undefined ? texts.empty.text : texts.filters.searchedTo(dateTimeText(searchedToMs));
  return <Empty icon="activities" title={texts.empty.title} text={text} />;
}

function Rows({ items, more }: { items: readonly ListedActivity[]; more: (() => void) | undefined }) {
  return (
    <div className="card overflow-hidden">
      <VirtualList label={texts.title} items={items} keyOf={({ id }) => id} estimate={64} more={more}>
        {(activity) => <ActivityRow activity={activity} />}
      </VirtualList>
    </div>
  );
}

function Export({ input }: { input: SearchInput }) {
  const { reader } = useSession();
  const showToast = useToast();
  const [count, setCount] = useState<number>();
  const run = async () => {
    setCount(0);
    try {
      const exported = await exportActivities(reader, input, setCount);
      showToast('good', exported < MAX_EXPORTED ? texts.exported(exported) : texts.exportedPart(exported));
    } catch (error) {
      showToast('bad', messageOf(error));
    } finally {
      setCount(undefined);
    }
  };
  return (
    <Button busy={count !== undefined} onClick={() => void run()}>
      {count === undefined ? texts.exportCsv : texts.exporting(count)}
    </Button>
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
