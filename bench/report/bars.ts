import type { Paint } from './paint.ts';

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The text after the bar. */
  readonly caption: string;
}

const WIDTH = 48;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Horizontal bars on a common scale from 0, drawn to an eighth of a character. */
export function renderBars(bars: readonly Bar[], paint: Paint): string {
  const largest = Math.max(...bars.map(({ value }) => value));
  const labelWidth = Math.max(...bars.map(({ label }) => label.length));
  return bars
    .map(({ label, value, caption }) => {
      const eighths = Math.max(1, Math.round((value / largest) * WIDTH * 8));
      const bar = '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
      return `${label.padEnd(labelWidth)}  ${paint('cyan', bar)} ${caption}`;
    })
    .join('\n');
}
