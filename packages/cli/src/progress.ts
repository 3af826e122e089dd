import type { Output } from './context.ts';

const BAR_WIDTH = 24;
/** How often the line is drawn again. */
const DRAW_MS = 100;

/** Shows how far work has come. */
export interface Progress {
  show(what: string, done: number, total: number): void;
  /** Removes the line. */
  end(): void;
}

/** A bar on a terminal, and nothing elsewhere: a file or a pipe should hold results alone. */
export function progressOn(output: Output): Progress {
  let drawnMs = Number.NEGATIVE_INFINITY;
  let isShown = false;
  return {
    show(what, done, total) {
      const isOver = done >= total;
      if (!output.isTerminal || (!isOver && performance.now() - drawnMs < DRAW_MS)) return;
      drawnMs = performance.now();
      isShown = true;
      const share = total === 0 ? 1 : Math.min(1, done / total);
      const filled = Math.round(share * BAR_WIDTH);
      const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`;
      output.write(`\r\u001b[K${what} ${bar} ${Math.floor(share * 100)} % of ${total.toLocaleString('en-US')}`);
    },
    end() {
      if (isShown) output.write('\r\u001b[K');
      isShown = false;
    },
  };
}
