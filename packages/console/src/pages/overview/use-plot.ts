import 'uplot/dist/uPlot.min.css';
import { type RefObject, useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';

const HEIGHT = 220;

/** Content of a plot. All other options are shared. */
export interface Drawing {
  /** Starts of the intervals, in milliseconds since 1970. */
  readonly times: readonly number[];
  readonly y: UPlot.Scale;
  readonly yAxis: UPlot.Axis;
  readonly lines: readonly { readonly values: readonly (number | null)[]; readonly style: UPlot.Series }[];
}

/** Draws a plot and redraws it when the data or the theme changes. `draw` receives a function for theme colours. */
export function usePlot(draw: (colour: (name: string) => string) => Drawing, data: unknown): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `draw` depends only on the data
  useEffect(() => {
    const host = place.current as HTMLDivElement;
    const colour = (name: string) => resolved(host, name);
    const { times, y, yAxis, lines } = draw(colour);
    const axis = {
      stroke: colour('--quiet'),
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { show: false },
      font: `12px ${getComputedStyle(host).fontFamily}`,
    };
    const stepSeconds = ((times[1] ?? 0) - (times[0] ?? 0)) / 1000;
    const plot = new UPlot(
      {
        width: host.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, points: { size: 7 } },
        scales: { x: { range: (_, min, max) => [min - stepSeconds, max + stepSeconds] }, y },
        axes: [
          { ...axis, size: 30, grid: { show: false }, values: (_, splits) => splits.map((seconds) => timeText(seconds, times)) },
          { ...axis, ...yAxis },
        ],
        series: [{}, ...lines.map(({ style }) => style)],
      },
      [times.map((ms) => ms / 1000), ...lines.map(({ values }) => [...values])],
      host,
    );
    const resize = new ResizeObserver(() => plot.setSize({ width: host.clientWidth, height: HEIGHT }));
    resize.observe(host);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [data, theme]);
  return place;
}

/** Resolves a theme colour for the canvas: light-dark() works only in style sheets. */
function resolved(host: HTMLElement, name: string): string {
  const probe = host.appendChild(document.createElement('span'));
  probe.style.color = `var(${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const hours = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const days = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

/** Axis label: hours within a day, else dates. */
function timeText(seconds: number, times: readonly number[]): string {
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
  return (span > 2 * 86_400_000 ? days : hours).format(seconds * 1000);
}

/** A number that changes with the theme of the device or the person. */
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
