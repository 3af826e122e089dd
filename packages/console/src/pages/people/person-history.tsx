import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { dateTimeText } from '../../data/time.ts';
import { Button } from '../../ui/button.tsx';
import { Loading, Section } from '../../ui/page.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { words } from '../../words/index.ts';
import { ActivityRow } from '../activities/activity-row.tsx';
import { useSearch } from '../activities/use-search.ts';

const texts = words.people.person;
const { filters } = words.activities;
const SHOWN = 10;

/** The newest activities that a person took part in, and how far back the history was searched for them. */
export function PersonHistory({ userId }: { userId: string }) {
  const input = useMemo(() => ({ userId }), [userId]);
  const { query, items, searchedToMs, isSearching } = useSearch(input);
  const link = (
    <Link to="/activities" search={{ user: userId } as never} className="text-accent underline">
      {texts.allActivities}
    </Link>
  );
  return (
    <Section title={texts.activities} action={link}>
      {items.length > 0 ? (
        <div className="card overflow-hidden [&>:last-child]:border-b-0">
          {items.slice(0, SHOWN).map((activity) => (
            <ActivityRow key={activity.id} activity={activity} />
          ))}
        </div>
      ) : query.error ? (
        <ErrorMessage error={query.error} retry={() => void query.refetch()} />
      ) : isSearching ? (
        <Loading />
      ) : searchedToMs === undefined ? (
        <p className="card px-4 py-3 text-quiet">{texts.noActivities}</p>
      ) : (
        <div className="card flex flex-wrap items-center gap-3 px-4 py-3 text-quiet">
          {texts.noActivitiesSince(dateTimeText(searchedToMs))}
          <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {filters.further}
          </Button>
        </div>
      )}
    </Section>
  );
}
