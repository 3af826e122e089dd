import type { ListedActivity } from '@countersign/client';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { usePendingApprovals } from '../../data/pending-approvals.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { useCheck } from '../../review/use-check.ts';
import { useKey } from '../../shell/keyboard.tsx';
import { Empty, PageHead } from '../../ui/page.tsx';
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
    { filterByStatus: ['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_REJECTED'], paginationOptions: { limit: '30' } },
    { enabled: tab === 'decided' },
  );
  const lists: Readonly<Record<Tab, readonly ListedActivity[]>> = {
    mine,
    others,
    decided: (decided.data?.activities ?? []).filter(({ votes }) => votes.length > 1),
  };
  const shown = lists[tab];
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
            <QueryView query={query}>{() => <Inbox activities={shown} tab={tab} chosen={activityId} />}</QueryView>
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

function Inbox({ activities, tab, chosen }: { activities: readonly ListedActivity[]; tab: Tab; chosen: string | undefined }) {
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
          <InboxItem activity={activity} isChosen={activity.id === chosen} />
        </li>
      ))}
    </ul>
  );
}

function InboxItem({ activity, isChosen }: { activity: ListedActivity; isChosen: boolean }) {
  const check = useCheck(activity).data;
  const who = activity.votes[0]?.user.userName ?? '';
  return (
    <Link
      to="/approvals/$activityId"
      params={{ activityId: activity.id }}
      className={`card block px-4 py-3 hover:border-line-strong ${isChosen ? 'border-accent shadow-[inset_3px_0_0_var(--accent)]' : ''}`}
    >
      <span className="flex items-baseline justify-between gap-3 text-sm text-quiet">
        <span className="truncate">{texts.asks(escapeInvisible(who))}</span>
        <span className="shrink-0">
          <When at={activity.createdAt} />
        </span>
      </span>
      <span className="mt-0.5 line-clamp-3 font-serif text-lg leading-snug break-words">
        <Sentence text={sentenceFor(activity, check)} short />
      </span>
    </Link>
  );
}
