import { durationText } from '../../data/time.ts';
import { words } from '../../words/index.ts';
import { type PlottedDurations, topOf } from './durations.ts';
import { Legend } from './legend.tsx';
import { usePlot } from './use-plot.ts';

const texts = words.overview.durations;
const colours = { median: '--accent', p99: '--wait' } as const;
/** uPlot’s constant for a logarithmic scale. */
const LOGARITHMIC = 3;

/** Request durations as two lines on a logarithmic scale. */
export default function DurationsPlot({ data }: { data: PlottedDurations }) {
  const place = usePlot((colour) => {
    const line = (label: string, name: keyof typeof colours, dash: number[]) => ({
      values: data[name],
      style: {
        label,
        stroke: colour(colours[name]),
        width: 2,
        dash,
        // Draw points, because isolated intervals have no line.
        points: { show: true, size: 6, fill: colour(colours[name]), stroke: colour(colours[name]) },
      },
    });
    return {
      times: data.times,
      y: { distr: LOGARITHMIC, range: [1, topOf(data)] },
      yAxis: {
        size: 56,
        splits: () => powersOfTen(topOf(data)),
        values: (_, splits) => splits.map((ms) => durationText(ms)),
        filter: (_, splits) => splits,
      },
      lines: [line(texts.p99, 'p99', [6, 4]), line(texts.median, 'median', [])],
    };
  }, data);
  return (
    <figure aria-label={texts.title}>
      <div ref={place} aria-hidden="true" />
      <Legend
        entries={[
          { label: texts.median, colour: colours.median, line: 'solid' },
          { label: texts.p99, colour: colours.p99, line: 'dashed' },
        ]}
      />
    </figure>
  );
}

function powersOfTen(top: number): number[] {
  return Array.from({ length: Math.round(Math.log10(top)) + 1 }, (_, power) => 10 ** power);
}
