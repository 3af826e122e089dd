import type { GrowthResult } from './growth-report.ts';

const WIDTH = 720;
const ROW = 190;
const LEFT = 60;
const RIGHT = 200;
const TOP = 40;
const PLOT = 130;
const COLOURS = ['#0b7285', '#c2255c', '#e67700', '#5c940d', '#5f3dc4'];

/**
 * An SVG picture: for each kind, the ratio of the CPU time of each request to the smallest organization, over the size, both on
 * logarithmic scales. All kinds share the scales, so that a steeper line grows faster.
 */
export function growthChart({ kinds }: GrowthResult): string {
  const all = kinds.flatMap(({ sizes }) => sizes);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const highest = Math.max(
    4,
    ...kinds.flatMap(({ measured }) => measured.flatMap(({ points }) => points.map(({ ratio }) => ratio))),
  );
  const x = (size: number) => LEFT + ((WIDTH - LEFT - RIGHT) * Math.log(size / least)) / Math.log(most / least);
  const y = (ratio: number) => PLOT - (PLOT * Math.log(Math.max(ratio, 0.5) / 0.5)) / Math.log(highest / 0.5);
  const rows = kinds.map(({ kind, measured, sizes }, row) => {
    const lines = measured.map(({ name, points }, index) => {
      const colour = COLOURS[index % COLOURS.length];
      const path = points.map(({ size, ratio }) => `${x(size).toFixed(1)},${y(ratio).toFixed(1)}`).join(' ');
      const label = `<text x="${WIDTH - RIGHT + 12}" y="${16 + index * 18}" fill="${colour}">${name} × ${(points.at(-1)?.ratio ?? 0).toFixed(2)}</text>`;
      return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${label}`;
    });
    const grid = [1, 1.3, 10, 100]
      .filter((ratio) => ratio <= highest)
      .map((ratio) => {
        const at = y(ratio).toFixed(1);
        return `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}" stroke="#ced4da"/><text x="${LEFT - 8}" y="${at}" text-anchor="end" dominant-baseline="middle">× ${ratio}</text>`;
      });
    const ticks = sizes.map(
      (size) => `<text x="${x(size).toFixed(1)}" y="${PLOT + 18}" text-anchor="middle">${size.toLocaleString('en')}</text>`,
    );
    return `<g transform="translate(0 ${TOP + row * ROW})"><text x="${LEFT}" y="-12" font-weight="bold">${kind}</text>${grid.join('')}${lines.join('')}${ticks.join('')}</g>`;
  });
  const height = TOP + kinds.length * ROW;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12" role="img"><title>Ratios of CPU time to the smallest organization</title><rect width="${WIDTH}" height="${height}" fill="#fff"/>${rows.join('\n')}</svg>
`;
}
