import { lazy, Suspense, useMemo } from 'react';
import { useServiceQuery } from '../../data/service-query.ts';
import { durationText } from '../../data/time.ts';
import { Loading, Section } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { words } from '../../words/index.ts';
import { type Durations, LONGEST_MS, plottedDurations } from './durations.ts';
import { IntervalTable } from './interval-table.tsx';

const DurationsPlot = lazy(() => import('./durations-plot.tsx'));
const texts = words.overview.durations;

/** Time range of the overview. */
export interface Span {
  readonly interval: 'HOUR' | 'DAY';
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly stepMs: number;
}

/** Request durations of the service. */
export function DurationsSection({ span, range }: { span: Span; range: string }) {
  const query = useServiceQuery('getActivityDurations', { interval: span.interval, since: String(span.sinceMs) }, { keep: true });
  return (
    <Section title={texts.title} lead={texts.lead}>
      <QueryView query={query}>
        {(durations) =>
          durations.overall.count === '0' ? (
            <p className="card px-4 py-3 text-quiet">{texts.none}</p>
          ) : (
            <Chart durations={durations} span={span} range={range} />
          )
        }
      </QueryView>
    </Section>
  );
}

const within = (ms: string | undefined) =>
  ms === undefined ? texts.longer(durationText(LONGEST_MS)) : texts.within(durationText(Number(ms)));
const cell = (ms: string | undefined) => (ms === undefined ? `> ${durationText(LONGEST_MS)}` : `≤ ${durationText(Number(ms))}`);

function Chart({ durations, span, range }: { durations: Durations; span: Span; range: string }) {
  const data = useMemo(() => plottedDurations(durations, span), [durations, span]);
  const { count, medianMs, p99Ms } = durations.overall;
  return (
    <div className="card px-4 py-4">
      <p className="number mb-3">{texts.sentence(Number(count), range, within(medianMs), within(p99Ms))}</p>
      <Suspense fallback={<Loading />}>
        <DurationsPlot data={data} />
      </Suspense>
      <IntervalTable
        heads={[texts.requests, texts.median, texts.p99]}
        rows={durations.intervals.map((each) => ({
          ms: Number(each.startMs),
          values: [each.count, cell(each.medianMs), cell(each.p99Ms)],
        }))}
        isDaily={span.interval === 'DAY'}
      />
    </div>
  );
}
