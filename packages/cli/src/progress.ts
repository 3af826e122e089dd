import type { Context } from './context.ts';

const BAR_WIDTH = 24;
/** Redraw interval. */
const DRAW_MS = 100;

/** Progress display. */
export interface Progress {
  /** Draws a bar, or a count if the total is unknown. */
  show(what: string, done: number, total?: number): void;
  /** Removes the line. */
  end(): void;
}

/** A progress line on a terminal. Writes nothing to a file or pipe, and nothing with `--json`. */
export function progressOn({ stderr }: Pick<Context, 'stderr'>, { json }: { readonly json?: true | undefined } = {}): Progress {
  let drawnMs = Number.NEGATIVE_INFINITY;
  let isShown = false;
  return {
    show(what, done, total) {
      const isDone = total !== undefined && done >= total;
      if (json || !stderr.isTerminal || (!isDone && performance.now() - drawnMs < DRAW_MS)) return;
      drawnMs = performance.now();
      isShown = true;
      stderr.write(`\r\u001b[K${total === undefined ? `${done.toLocaleString('en-US')} ${what}` : bar(what, done, total)}`);
    },
    end() {
      if (isShown) stderr.write('\r\u001b[K');
      isShown = false;
    },
  };
}

function bar(what: string, done: number, total: number): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.round(share * BAR_WIDTH);
  const drawn = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`;
  return `${what} ${drawn} ${Math.floor(share * 100)} % of ${total.toLocaleString('en-US')}`;
}
