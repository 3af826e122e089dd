import type { Leftovers } from './leftovers.ts';
import type { Options } from './options.ts';
import type { Paint } from './report/paint.ts';

/** What every benchmark receives. */
export interface BenchContext {
  readonly options: Options;
  readonly leftovers: Leftovers;
  /** Shows the current step. */
  progress(text: string): void;
}

/** The result of a benchmark, for scripts and for people. */
export interface Report {
  readonly json: object;
  text(paint: Paint): string;
}

/** One benchmark, a subcommand. */
export interface Bench {
  readonly summary: string;
  run(context: BenchContext): Promise<Report>;
}
