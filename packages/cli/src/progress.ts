import type { Context } from './context.ts';

const BAR_WIDTH = 24;
/** How often the line is drawn again. */
const DRAW_MS = 100;

/** Shows how far work has come. */
export interface Progress {
  /** Draws a bar, or a count where nobody knows the total. */
  show(what: string, done: number, total?: number): void;
  /** Removes the line. */
  end(): void;
}

/** A line on a terminal, and nothing elsewhere: a file or a pipe should hold results alone. Programs ask with `--json` and see none. */
export function progressOn({ stderr }: Pick<Context, 'stderr'>, { json }: { readonly json?: true | undefined } = {}): Progress {
  let drawnMs = Number.NEGATIVE_INFINITY;
  let isShown = false;
  return {
    show(what, done, total) {
      const isOver = total !== undefined && done >= total;
      if (json || !stderr.isTerminal || (!isOver && performance.now() - drawnMs < DRAW_MS)) return;
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
