import type { z } from 'zod';

/** One setting. Its flag is the name in kebab case; its environment variable is `COUNTERSIGN_` and the name in upper case. */
export interface Setting<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  /** The default as a person would write it. Absent if there is none. */
  readonly default?: string;
  readonly describe: string;
  /** A secret never comes from the command line, only from the environment or, with `_FILE`, from a file. */
  readonly secret?: true;
}
