import type { ListedActivity } from '@countersign/client';
import { useCallback } from 'react';
import { usePages } from '../../data/service-query.ts';
import { dateTimeText } from '../../data/time.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Loading } from '../../ui/page.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { words } from '../../words/index.ts';
import { ActivityRow } from './activity-row.tsx';
import type { SearchInput } from './filter.ts';
import { useSearch } from './use-search.ts';

const texts = words.activities;

/** Plain lists come from `list_activities`, which frozen members of the root quorum may read too. */
export function Found({ input }: { input: SearchInput }) {
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
