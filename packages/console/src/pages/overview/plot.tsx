import UPlot from 'uplot';
import { words } from '../../words/index.ts';
import { type Plotted, series } from './counts.ts';
import { Legend } from './legend.tsx';
import { usePlot } from './use-plot.ts';

const colours = { completed: '--accent', rejected: '--bad-solid', failed: '--wait' } as const;

/** Activities over time as bars. A table below is the accessible version. */
export default function Plot({ data, label }: { data: Plotted; label: string }) {
  const place = usePlot(
    (colour) => ({
      times: data.times,
      y: { range: (_, __, max) => [0, Math.max(4, max * 1.1)] },
      yAxis: { size: 40, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000] },
      lines: stack(data).map(({ name, values }) => ({
        values,
        style: {
          label: words.overview.chartOf[name],
          fill: colour(colours[name]),
          width: 0,
          points: { show: false },
          paths: UPlot.paths.bars?.({ size: [0.7, 36], radius: 0.15 }) as UPlot.Series.PathBuilder,
        },
      })),
    }),
    data,
  );
  return (
    <figure aria-label={label}>
      <div ref={place} aria-hidden="true" />
      <Legend entries={series.map((name) => ({ label: words.overview.chartOf[name], colour: colours[name] }))} />
    </figure>
  );
}

/** Cumulative sums, the highest first, because later bars cover earlier ones. */
function stack({ times, lines }: Plotted) {
  const sums = new Array<number>(times.length).fill(0);
  const parts = series.map((name) => ({
    name,
    values: lines[name].map((value, index) => {
      sums[index] = (sums[index] ?? 0) + value;
      return value === 0 ? null : (sums[index] ?? 0);
    }),
  }));
  return parts.reverse();
}
