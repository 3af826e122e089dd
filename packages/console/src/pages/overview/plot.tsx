import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import { words } from '../../words/index.ts';
import { type Plotted, series } from './counts.ts';

const colours = { completed: '--accent', rejected: '--bad-solid', failed: '--wait' } as const;
const HEIGHT = 220;

/** Activities over time as bars. Whoever cannot see them has the table below. */
export default function Plot({ data, label }: { data: Plotted; label: string }) {
  const place = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the canvas is drawn again when the theme changes
  useEffect(() => {
    const host = place.current as HTMLDivElement;
    const style = getComputedStyle(host);
    const colour = (name: string) => resolved(host, name);
    const axis = {
      stroke: colour('--quiet'),
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { show: false },
      font: `12px ${style.fontFamily}`,
    };
    const stepSeconds = ((data.times[1] ?? 0) - (data.times[0] ?? 0)) / 1000;
    const stacked = stack(data);
    const plot = new UPlot(
      {
        width: host.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, points: { size: 7 } },
        scales: {
          x: { range: (_, min, max) => [min - stepSeconds, max + stepSeconds] },
          y: { range: (_, __, max) => [0, Math.max(4, max * 1.1)] },
        },
        axes: [
          { ...axis, size: 30, grid: { show: false }, values: (_, splits) => splits.map((seconds) => timeText(seconds, data)) },
          { ...axis, size: 40, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000] },
        ],
        series: [
          {},
          ...stacked.map(({ name }) => ({
            label: words.overview.chartOf[name],
            fill: colour(colours[name]),
            width: 0,
            points: { show: false },
            paths: UPlot.paths.bars?.({ size: [0.7, 36], radius: 0.15 }) as UPlot.Series.PathBuilder,
          })),
        ],
      },
      [data.times.map((ms) => ms / 1000), ...stacked.map(({ values }) => values)],
      host,
    );
    const resize = new ResizeObserver(() => plot.setSize({ width: host.clientWidth, height: HEIGHT }));
    resize.observe(host);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [data, theme]);
  return (
    <figure aria-label={label}>
      <div ref={place} aria-hidden="true" />
      <figcaption className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-sm text-quiet">
        {series.map((name) => (
          <span key={name} className="inline-flex items-center gap-1.5">
            <span
              aria-hidden="true"
              className="inline-block size-2.5 rounded-sm"
              style={{ background: `var(${colours[name]})` }}
            />
            {words.overview.chartOf[name]}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

/** A colour of the theme as the canvas understands it: light-dark() only works in style sheets. */
function resolved(host: HTMLElement, name: string): string {
  const probe = host.appendChild(document.createElement('span'));
  probe.style.color = `var(${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** The sums from below, the highest first: what is drawn later covers it. */
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

const hours = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const days = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

/** A mark of the axis: hours within a day, dates beyond. */
function timeText(seconds: number, { times }: Plotted): string {
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
  return (span > 2 * 86_400_000 ? days : hours).format(seconds * 1000);
}

/** A number that changes with the theme, whether the device or the person changes it. */
function useTheme(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const changed = () => setChanges((count) => count + 1);
    const device = matchMedia('(prefers-color-scheme: dark)');
    const choice = new MutationObserver(changed);
    device.addEventListener('change', changed);
    choice.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      device.removeEventListener('change', changed);
      choice.disconnect();
    };
  }, []);
  return changes;
}
