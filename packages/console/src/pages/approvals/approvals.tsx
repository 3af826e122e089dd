import type { ListedActivity } from '@countersign/client';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { MOST_PENDING } from '../../data/load-pending.ts';
import { usePendingApprovals } from '../../data/pending-approvals.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { voterName } from '../../review/person-name.ts';
import type { Check } from '../../review/types.ts';
import { useCheck } from '../../review/use-check.ts';
import { type ListNames, useListNames } from '../../review/use-names.ts';
import { usePastSignatures, useReview } from '../../review/use-review.ts';
import { useKey } from '../../shell/keyboard.tsx';
import { Button } from '../../ui/button.tsx';
import { Badge, Empty } from '../../ui/page.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Sentence } from '../../ui/sentence.tsx';
import { Split } from '../../ui/split.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';
import { ApprovalDetail } from './detail.tsx';
import { byRank, inParts, type RowState, type RowStates, rowState, rowTones } from './row-state.ts';
import { sentenceFor } from './sentence.ts';

const texts = words.approvals;
type Tab = keyof typeof texts.tabs;

/** The inbox: pending requests and the selected one. */
export function ApprovalsPage() {
  const { activityId } = useParams({ strict: false });
  const [tab, setTab] = useState<Tab>('mine');
  const { mine, others, query } = usePendingApprovals();
  const decided = useServiceQuery(
    'listActivities',
    {
      filterByStatus: ['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_REJECTED', 'ACTIVITY_STATUS_FAILED'],
      paginationOptions: { limit: '30' },
    },
    { enabled: tab === 'decided' },
  );
  const lists: Readonly<Record<Tab, readonly ListedActivity[]>> = {
    mine,
    others,
    decided: (decided.data?.activities ?? []).filter(({ votes }) => votes.length > 1),
  };
  const { states, report } = useRowStates();
  const [shownParts, setShownParts] = useState(1);
  const list = lists[tab];
  const allParts = useMemo(() => inParts(list), [list]);
  const parts = allParts.slice(0, shownParts);
  const shown = parts.flatMap(({ activities }) => (tab === 'decided' ? activities : byRank(activities, states)));
  useSteps(shown, activityId);
  return (
    <>
      <div className={activityId === undefined ? '' : 'hidden lg:block'}>
        <PageHead title={texts.title} lead={texts.lead} />
      </div>
      <Split
        open={activityId !== undefined}
        list={
          <>
            <Tabs
              label={texts.title}
              value={tab}
              onChange={(next) => {
                setTab(next as Tab);
                setShownParts(1);
              }}
              tabs={(Object.keys(texts.tabs) as Tab[]).map((each) => ({
                value: each,
                label: texts.tabs[each],
                count: each === 'decided' ? 0 : lists[each].length,
              }))}
            />
            <QueryView query={query}>
              {({ hasMore }) => (
                <>
                  {parts.length === 0 && <EmptyInbox tab={tab} />}
                  {parts.map(({ from, activities }) => (
                    <Rows key={from} {...{ activities, tab, states, report }} chosen={activityId} />
                  ))}
                  <Rest
                    next={allParts[shownParts]?.activities.length ?? 0}
                    all={list.length}
                    isCut={hasMore && tab !== 'decided'}
                    onMore={() => setShownParts(shownParts + 1)}
                  />
                </>
              )}
            </QueryView>
          </>
        }
        detail={
          activityId === undefined ? (
            <Choose empty={mine.length === 0} />
          ) : (
            <ApprovalDetail key={activityId} activityId={activityId} />
          )
        }
      />
    </>
  );
}

const notCompared: readonly ListedActivity[] = [];

/** What the rows found, by activity. */
function useRowStates() {
  const [states, setStates] = useState<RowStates>({});
  const report = useCallback(
    (id: string, state: RowState) => setStates((all) => (all[id] === state ? all : { ...all, [id]: state })),
    [],
  );
  return { states, report };
}

/** `j` and `k` move through the list. */
function useSteps(shown: readonly ListedActivity[], chosen: string | undefined): void {
  const navigate = useNavigate();
  const step = useCallback(
    (by: number) => {
      const at = shown.findIndex(({ id }) => id === chosen);
      const next = shown[Math.min(Math.max(at + by, 0), shown.length - 1)];
      if (next) void navigate({ to: '/approvals/$activityId', params: { activityId: next.id } });
    },
    [shown, chosen, navigate],
  );
  useKey(
    'j',
    useCallback(() => step(1), [step]),
  );
  useKey(
    'k',
    useCallback(() => step(-1), [step]),
  );
}

function Choose({ empty }: { empty: boolean }) {
  if (empty) return <Empty icon="approvals" title={texts.empty.teach} text={texts.empty.teachText} />;
  return <Empty icon="approvals" title={texts.empty.choose} text={texts.empty.chooseText} />;
}

function EmptyInbox({ tab }: { tab: Tab }) {
  const { title, text, othersTitle, othersText } = texts.empty;
  return tab === 'mine' ? (
    <Empty icon="check" title={title} text={text} />
  ) : (
    <Empty icon="clock" title={othersTitle} text={othersText} />
  );
}

interface RowsProps {
  activities: readonly ListedActivity[];
  tab: Tab;
  chosen: string | undefined;
  states: RowStates;
  report: ReturnType<typeof useRowStates>['report'];
}

/** Rows whose names are loaded together. */
function Rows({ activities, tab, chosen, states, report }: RowsProps) {
  const past = usePastSignatures();
  const names = useListNames(activities, tab === 'decided' ? notCompared : past.activities);
  const rows = tab === 'decided' ? activities : byRank(activities, states);
  return (
    <ul className="mb-2 grid gap-2">
      {rows.map((activity) => (
        <li key={activity.id}>
          {tab === 'decided' ? (
            <DecidedItem activity={activity} isChosen={activity.id === chosen} names={names} />
          ) : (
            <PendingItem activity={activity} isChosen={activity.id === chosen} report={report} names={names} />
          )}
        </li>
      ))}
    </ul>
  );
}

interface RestProps {
  /** Number of rows that can be shown next. */
  next: number;
  all: number;
  /** Whether there are requests that were not loaded. */
  isCut: boolean;
  onMore(): void;
}

/** What is not in the list yet. */
function Rest({ next, all, isCut, onMore }: RestProps) {
  return (
    <div className="mt-3 grid justify-items-center gap-2">
      {next > 0 && <Button onClick={onMore}>{texts.more(next, all)}</Button>}
      {isCut && <p className="text-sm text-quiet">{texts.mostPending(MOST_PENDING)}</p>}
    </div>
  );
}

interface ItemProps {
  activity: ListedActivity;
  isChosen: boolean;
}

/** A pending request with the result of its checks. */
function PendingItem({ report, names, ...item }: ItemProps & { names: ListNames } & Pick<RowsProps, 'report'>) {
  const review = useReview(item.activity, names);
  const state = rowState(review);
  const tone = rowTones[state];
  // SECURITY: D1104: addresses that look alike share the parts that a short form shows. Until the review is done, any address may be one.
  const isShort = review.review.data?.findings.every(({ lookAlike }) => lookAlike === undefined) ?? false;
  const { id } = item.activity;
  useEffect(() => report(id, state), [id, state, report]);
  return (
    <Item {...item} check={review.check.data} isShort={isShort}>
      {tone !== undefined && <Badge tone={tone}>{texts.risks[state]}</Badge>}
    </Item>
  );
}

function DecidedItem({ names, ...item }: ItemProps & { names: ListNames }) {
  const check = useCheck(item.activity, names).data;
  return (
    <Item {...item} check={check} isShort>
      {item.activity.status === 'ACTIVITY_STATUS_FAILED' && <Badge tone="bad">{texts.failed}</Badge>}
    </Item>
  );
}

interface ContentProps {
  check: Check | undefined;
  /** Addresses are shown without their middles. */
  isShort: boolean;
  children: ReactNode;
}

function Item({ activity, isChosen, check, isShort, children }: ItemProps & ContentProps) {
  return (
    <Link
      to="/approvals/$activityId"
      params={{ activityId: activity.id }}
      className={`card block px-4 py-3 hover:border-line-strong ${isChosen ? 'border-accent shadow-[inset_3px_0_0_var(--accent)]' : ''}`}
    >
      <span className="flex items-baseline justify-between gap-3 text-sm text-quiet">
        <span className="truncate">{check && texts.asks(voterName(check.people, activity.votes[0]))}</span>
        <span className="flex shrink-0 items-baseline gap-2">
          {children}
          <When at={activity.createdAt} />
        </span>
      </span>
      <span className={`mt-0.5 text-lg leading-snug break-words ${isShort ? 'line-clamp-3' : 'block'}`}>
        <Sentence text={sentenceFor(activity, check)} short={isShort} />
      </span>
    </Link>
  );
}
