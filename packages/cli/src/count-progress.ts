import type { Context } from './context.ts';

/** How often a terminal hears of progress. */
const EVERY_MS = 200;

/** Shows how far a long work is, on a terminal and nowhere else. */
export function showProgress({ stderr }: Context, what: string): { show(count: number): void; end(): void } {
  let shownAtMs = Number.NEGATIVE_INFINITY;
  let isShown = false;
  return {
    show(count) {
      const nowMs = performance.now();
      if (!stderr.isTerminal || nowMs - shownAtMs < EVERY_MS) return;
      shownAtMs = nowMs;
      isShown = true;
      stderr.write(`\r\u001b[K${count.toLocaleString('en-US')} ${what}`);
    },
    end() {
      if (isShown) stderr.write('\r\u001b[K');
    },
  };
}
