import type { Leftovers } from './leftovers.ts';
import type { Options } from './options.ts';
import type { Paint } from './report/paint.ts';

/** What a benchmark works with. */
export interface BenchContext {
  readonly options: Options;
  readonly leftovers: Leftovers;
  /** Says what is being done at the moment. */
  progress(text: string): void;
}

/** What a benchmark found, for scripts and for people. */
export interface Report {
  readonly json: object;
  text(paint: Paint): string;
}

/** One benchmark: a subcommand. */
export interface Bench {
  readonly summary: string;
  run(context: BenchContext): Promise<Report>;
}
