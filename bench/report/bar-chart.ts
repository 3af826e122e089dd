/** Bars under one heading. */
export interface BarGroup {
  readonly title: string;
  readonly bars: readonly { readonly label: string; readonly value: number }[];
}

const WIDTH = 720;
const LABELS = 350;
const RIGHT = 60;
const ROW = 20;
const HEADING = 34;

/** An SVG picture of horizontal bars from 0, each with its number. `aim` is drawn as a line: bars should end before it. */
export function barChart(title: string, groups: readonly BarGroup[], aim: number): string {
  const largest = Math.max(aim, ...groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
  const x = (value: number) => LABELS + ((WIDTH - LABELS - RIGHT) * value) / largest;
  let top = 0;
  const drawn = groups.map(({ title: heading, bars }) => {
    const rows = bars.map(({ label, value }, index) => {
      const y = HEADING + index * ROW;
      const colour = value <= aim ? '#0b7285' : '#c2255c';
      return (
        `<text x="${LABELS - 8}" y="${y + 13}" text-anchor="end">${escaped(label)}</text>` +
        `<rect x="${LABELS}" y="${y + 3}" width="${Math.max(1, x(value) - LABELS).toFixed(1)}" height="${ROW - 7}" fill="${colour}"/>` +
        `<text x="${(x(value) + 6).toFixed(1)}" y="${y + 13}">× ${value.toFixed(2)}</text>`
      );
    });
    const height = HEADING + bars.length * ROW;
    const line = `<line x1="${x(aim).toFixed(1)}" x2="${x(aim).toFixed(1)}" y1="${HEADING - 4}" y2="${height}" stroke="#495057" stroke-dasharray="4 3"/>`;
    const group = `<g transform="translate(0 ${top})"><text x="8" y="22" font-weight="bold">${escaped(heading)}</text>${rows.join('')}${line}</g>`;
    top += height;
    return group;
  });
  const height = top + 12;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12" role="img"><title>${escaped(title)}</title><rect width="${WIDTH}" height="${height}" fill="#fff"/>${drawn.join('\n')}</svg>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
