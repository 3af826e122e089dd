import type { ListedActivity } from '@countersign/client';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { usePendingApprovals } from '../../data/pending-approvals.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { type Risk, risks } from '../../review/finding.ts';
import type { Check } from '../../review/types.ts';
import { useCheck } from '../../review/use-check.ts';
import { type ListNames, useListNames } from '../../review/use-names.ts';
import { usePastSignatures, useReview } from '../../review/use-review.ts';
import { useKey } from '../../shell/keyboard.tsx';
import { Badge, Empty } from '../../ui/page.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Sentence } from '../../ui/sentence.tsx';
import { Split } from '../../ui/split.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';
import { ApprovalDetail } from './detail.tsx';
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
  const past = usePastSignatures();
  const names = useListNames(lists[tab], tab === 'decided' ? notCompared : past.activities);
  const { ofId, report } = useRisks();
  const shown = tab === 'decided' ? lists.decided : lists[tab].toSorted((a, b) => rank(ofId[b.id]) - rank(ofId[a.id]));
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
              onChange={(next) => setTab(next as Tab)}
              tabs={(Object.keys(texts.tabs) as Tab[]).map((each) => ({
                value: each,
                label: texts.tabs[each],
                count: each === 'decided' ? 0 : lists[each].length,
              }))}
            />
            <QueryView query={query}>
              {() => <Inbox activities={shown} tab={tab} chosen={activityId} report={report} names={names} />}
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

const rank = (risk: Risk | undefined) => (risk === undefined ? 0 : risks.indexOf(risk));

/** The risks that the rows found, by activity. */
function useRisks() {
  const [ofId, setRisks] = useState<Readonly<Record<string, Risk>>>({});
  const report = useCallback(
    (id: string, risk: Risk) => setRisks((all) => (all[id] === risk ? all : { ...all, [id]: risk })),
    [],
  );
  return { ofId, report };
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

interface InboxProps {
  activities: readonly ListedActivity[];
  tab: Tab;
  chosen: string | undefined;
  report: ReturnType<typeof useRisks>['report'];
  names: ListNames;
}

function Inbox({ activities, tab, chosen, report, names }: InboxProps) {
  if (activities.length === 0) {
    const { title, text, othersTitle, othersText } = texts.empty;
    return tab === 'mine' ? (
      <Empty icon="check" title={title} text={text} />
    ) : (
      <Empty icon="clock" title={othersTitle} text={othersText} />
    );
  }
  return (
    <ul className="grid gap-2">
      {activities.map((activity) => (
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

interface ItemProps {
  activity: ListedActivity;
  isChosen: boolean;
}

/** A pending request with its risk. */
function PendingItem({ report, names, ...item }: ItemProps & Pick<InboxProps, 'report' | 'names'>) {
  const { check, review } = useReview(item.activity, names);
  const risk = check.data?.state === 'mismatch' ? 'high' : review.data?.risk;
  // SECURITY: D1104: addresses that look alike share the parts that a short form shows. Until the review is done, any address may be one.
  const isShort = review.data?.findings.every(({ lookAlike }) => lookAlike === undefined) ?? false;
  const { id } = item.activity;
  useEffect(() => {
    if (risk !== undefined) report(id, risk);
  }, [id, risk, report]);
  return (
    <Item {...item} check={check.data} isShort={isShort}>
      {risk !== undefined && risk !== 'low' && <Badge tone={risk === 'high' ? 'bad' : 'wait'}>{texts.risks[risk]}</Badge>}
    </Item>
  );
}

function DecidedItem({ names, ...item }: ItemProps & Pick<InboxProps, 'names'>) {
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
  const who = activity.votes[0]?.user.userName ?? '';
  return (
    <Link
      to="/approvals/$activityId"
      params={{ activityId: activity.id }}
      className={`card block px-4 py-3 hover:border-line-strong ${isChosen ? 'border-accent shadow-[inset_3px_0_0_var(--accent)]' : ''}`}
    >
      <span className="flex items-baseline justify-between gap-3 text-sm text-quiet">
        <span className="truncate">{texts.asks(escapeInvisible(who))}</span>
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
