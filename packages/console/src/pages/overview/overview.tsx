import { isSignature } from '@countersign/contract';
import { Link } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { useOwnNames } from '../../data/own-names.ts';
import { usePendingApprovals } from '../../data/pending-approvals.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { typeLabel } from '../../review/type-label.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Loading, Section } from '../../ui/page.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { words } from '../../words/index.ts';
import { ActivityRow } from '../activities/activity-row.tsx';
import { byType, type Counts, plotted, series, total } from './counts.ts';
import { DurationsSection, type Span } from './durations-section.tsx';
import { FirstSteps } from './first-steps.tsx';
import { IntervalTable } from './interval-table.tsx';
import { Introduction } from './introduction.tsx';

const Plot = lazy(() => import('./plot.tsx'));

const texts = words.overview;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ranges = {
  day: { ms: DAY_MS, interval: 'HOUR', stepMs: HOUR_MS },
  week: { ms: 7 * DAY_MS, interval: 'HOUR', stepMs: HOUR_MS },
  month: { ms: 30 * DAY_MS, interval: 'DAY', stepMs: DAY_MS },
} as const;
type Range = keyof typeof ranges;

/** Pending approvals, recent activities, and the first steps of a new organization. */
export function OverviewPage() {
  const { organizationName } = useOwnNames();
  const { mine, others } = usePendingApprovals();
  const [range, setRange] = useState<Range>('day');
  // Rounded to the hour, so that the query can be cached.
  const untilMs = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
  const span = useMemo((): Span => {
    const { ms, interval, stepMs } = ranges[range];
    return { interval, stepMs, sinceMs: untilMs - ms, untilMs: untilMs - 1 };
  }, [range, untilMs]);
  const counted = useServiceQuery('getActivityCounts', { interval: span.interval, since: String(span.sinceMs) }, { keep: true });
  const recent = useServiceQuery('listActivities', { paginationOptions: { limit: '8' } });
  const counts = counted.data?.counts ?? [];
  const note = texts.inLast(texts.ranges[range]);
  return (
    <>
      <PageHead title={organizationName} lead={texts.lead} />
      <Introduction />
      <div className="mb-8 grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure icon="approvals" label={texts.pending} value={mine.length} to="/approvals" loud={mine.length > 0} />
        <Figure icon="clock" label={texts.pendingOthers} value={others.length} to="/approvals" />
        <Figure
          icon="sign"
          label={texts.signatures}
          value={total(counts, 'ACTIVITY_STATUS_COMPLETED', isSignature)}
          to="/activities"
          note={note}
        />
        <Figure
          icon="policies"
          label={texts.notExecuted}
          value={total(counts, 'ACTIVITY_STATUS_REJECTED') + total(counts, 'ACTIVITY_STATUS_FAILED')}
          to="/activities"
          note={note}
        />
      </div>
      <FirstSteps />
      <Section
        title={texts.chart}
        action={
          <div className="w-72 max-w-full">
            <Tabs
              label={texts.chart}
              value={range}
              onChange={(next) => setRange(next as Range)}
              tabs={(Object.keys(ranges) as Range[]).map((value) => ({ value, label: texts.ranges[value] }))}
            />
          </div>
        }
      >
        <Chart counts={counts} span={span} />
      </Section>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-6 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <Section
          title={texts.recent}
          action={
            <Link to="/activities" className="text-accent underline underline-offset-2">
              {texts.seeAll}
            </Link>
          }
        >
          <QueryView query={recent}>
            {({ activities }) => (
              <div className="card overflow-hidden [&>*:last-child]:border-0">
                {activities.map((activity) => (
                  <ActivityRow key={activity.id} activity={activity} />
                ))}
              </div>
            )}
          </QueryView>
        </Section>
        <Section title={texts.byType}>
          <Types counts={counts} />
        </Section>
      </div>
      <DurationsSection span={span} range={texts.ranges[range]} />
    </>
  );
}

function Chart({ counts, span }: { counts: Counts; span: Span }) {
  const data = useMemo(() => plotted(counts, span), [counts, span]);
  const rows = data.times.flatMap((ms, index) => {
    const values = series.map((name) => data.lines[name][index] ?? 0);
    // Omit intervals without activities.
    return values.some((value) => value > 0) ? [{ ms, values }] : [];
  });
  return (
    <div className="card px-4 py-4">
      <Suspense fallback={<Loading />}>
        <Plot data={data} label={texts.chart} />
      </Suspense>
      <IntervalTable heads={series.map((name) => texts.chartOf[name])} rows={rows} isDaily={span.interval === 'DAY'} />
    </div>
  );
}

function Types({ counts }: { counts: Counts }) {
  const types = byType(counts).slice(0, 8);
  const most = types[0]?.[1] ?? 1;
  if (types.length === 0) return <p className="card px-4 py-3 text-quiet">{texts.noData}</p>;
  return (
    <ul className="card grid gap-2.5 px-4 py-4">
      {types.map(([type, count]) => (
        <li key={type} className="text-sm">
          <span className="flex justify-between gap-3">
            <span className="truncate first-letter:uppercase">{typeLabel(type)}</span>
            <span className="number text-quiet">{count}</span>
          </span>
          <span aria-hidden="true" className="mt-1 block h-1.5 rounded-full bg-sunken">
            <span className="block h-full rounded-full bg-accent" style={{ width: `${(count / most) * 100}%` }} />
          </span>
        </li>
      ))}
    </ul>
  );
}

interface FigureProps {
  icon: IconName;
  label: string;
  value: ReactNode;
  to: string;
  loud?: boolean;
  note?: string;
}

function Figure({ icon, label, value, to, loud = false, note }: FigureProps) {
  return (
    <Link
      to={to}
      className={`card block px-4 py-3 hover:border-line-strong ${loud ? 'border-accent shadow-[inset_3px_0_0_var(--accent)]' : ''}`}
    >
      <span className="flex items-center gap-1.5 text-sm text-quiet">
        <Icon name={icon} size={16} />
        {label}
      </span>
      <span className="number mt-1 block text-3xl font-semibold tracking-tight">{value}</span>
      {note !== undefined && <span className="text-sm text-quiet">{note}</span>}
    </Link>
  );
}
