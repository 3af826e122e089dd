import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { useDeferredValue, useMemo } from 'react';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Name } from '../../ui/name.tsx';
import { Empty } from '../../ui/page.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { words } from '../../words/index.ts';
import { AuditExport } from './audit-export.tsx';
import { ChosenKey, ChosenPerson } from './chosen.tsx';
import { ExportButton } from './export-button.tsx';
import { effectiveFilter, type Filter, filterOf, isAmount, searchInput } from './filter.ts';
import { Found } from './found.tsx';
import { meaningOf } from './meaning.ts';
import { MoreFilters } from './more-filters.tsx';
import { Named } from './named.tsx';
import { useSearchText } from './use-search-text.ts';
import { ViewList } from './view-list.tsx';

const texts = words.activities;
const statuses = ['COMPLETED', 'CONSENSUS_NEEDED', 'REJECTED', 'FAILED'] as const;

/** Activities, searched by the service, with live updates. The address of the page contains the filter and the text of the search. */
export function ActivitiesPage() {
  const navigate = useNavigate();
  const search = useRouterState({ select: ({ location }) => location.search as object });
  const inAddress = useMemo(() => filterOf(search), [search]);
  const open = (next: Filter) => void navigate({ to: '/activities', search: next as never, replace: true });
  const [text, setText] = useSearchText(inAddress, open);
  const filter = useMemo(() => withText(inAddress, text), [inAddress, text]);
  const change = (next: Filter) => {
    setText(next.text ?? '');
    open(next);
  };
  const effective = useMemo(() => effectiveFilter(filter), [filter]);
  // A text that limits nothing leaves the list as the other fields limit it.
  const shown = useMemo(() => searchInput(effective ?? filter), [effective, filter]);
  const input = useDeferredValue(shown);
  const meaning = meaningOf(text);
  const isUnclear = meaning?.is === 'unclear';
  const only = (name: 'status' | 'kind', value: string) => {
    const { [name]: _, ...rest } = filter;
    change(value === '' ? rest : { ...rest, [name]: value });
  };
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        <ExportButton input={effective === undefined ? undefined : input} />
        <AuditExport />
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
          error={isUnclear ? texts.filters.amountForm : undefined}
          type="search"
          search
        />
      </div>
      <div className="mb-4">
        <MoreFilters filter={filter} onChange={change} />
      </div>
      <ViewList filter={filter} onOpen={change} />
      {meaning?.is === 'name' && <Named text={meaning.text} onChoose={(next) => change({ ...inAddress, text: '', ...next })} />}
      {meaning?.is === 'activity' && (
        <p className="mb-4">
          <Link to="/activities/$activityId" params={{ activityId: meaning.id }} className="text-accent underline">
            {texts.filters.openId}
          </Link>
        </p>
      )}
      {(meaning?.is === 'name' || meaning?.is === 'activity') && (
        <p role="status" className="mb-4 text-sm text-quiet">
          <Name text={texts.filters.notLimited(text.trim())} />
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
      {isUnclear || hasUnclearAmount(filter) ? (
        <Empty icon="activities" title={texts.filters.notSearched} text={texts.filters.amountForm} />
      ) : (
        <Found input={input} />
      )}
    </>
  );
}

function withText({ text: _, ...filter }: Filter, text: string): Filter {
  return text.trim() === '' ? filter : { ...filter, text };
}

function hasUnclearAmount({ min, max }: Filter): boolean {
  return [min, max].some((amount) => amount !== undefined && !isAmount(amount));
}
