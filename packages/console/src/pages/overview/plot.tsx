import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { words } from '../../words/index.ts';
import { type Plotted, series } from './counts.ts';

const colours = { completed: '--accent', waiting: '--wait', rejected: '--bad-solid', failed: '--quiet' } as const;
const HEIGHT = 220;

/** Activities over time as lines. Whoever cannot see them has the table below. */
export default function Plot({ data, label }: { data: Plotted; label: string }) {
  const place = useRef<HTMLDivElement>(null);
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
    const plot = new UPlot(
      {
        width: host.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, points: { size: 7 } },
        scales: { y: { range: (_, __, max) => [0, Math.max(4, max * 1.1)] } },
        axes: [axis, { ...axis, size: 40, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000] }],
        series: [
          {},
          ...series.map((name) => ({
            label: words.overview.chartOf[name],
            stroke: colour(colours[name]),
            width: 2,
            points: { show: false },
            paths: UPlot.paths.stepped?.({ align: 1 }) as UPlot.Series.PathBuilder,
          })),
        ],
      },
      [data.times.map((ms) => ms / 1000), ...series.map((name) => [...data.lines[name]])],
      host,
    );
    const resize = new ResizeObserver(() => plot.setSize({ width: host.clientWidth, height: HEIGHT }));
    resize.observe(host);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [data]);
  return (
    <figure aria-label={label}>
      <div ref={place} aria-hidden="true" />
      <figcaption className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-sm text-quiet">
        {series.map((name) => (
          <span key={name} className="inline-flex items-center gap-1.5">
            <span aria-hidden="true" className="inline-block h-0.5 w-4" style={{ background: `var(${colours[name]})` }} />
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
