import type { z } from 'zod';

/** One setting. Its flag is the name in kebab case; its environment variable is `COUNTERSIGN_` plus the name in upper snake case. */
export interface Setting<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  /** The default, in the format of the environment variable. Absent without a default. */
  readonly default?: string;
  readonly describe: string;
  /** How several values are written in the configuration file: as a list of texts, or as the JSON value itself. */
  readonly form?: 'list' | 'json' | undefined;
  /** The values, for the help. Such a flag can stand alone, and then means `true`. */
  readonly choices?: string;
  /** A secret cannot be set on the command line, only in the environment or, with `_FILE`, in a file. */
  readonly secret?: true | undefined;
  /** An invalid value is not shown: it may contain a credential that belongs in a file. */
  readonly hideInvalid?: true | undefined;
  /** Whether a change takes effect on SIGHUP. Other changes need a restart. */
  readonly reload?: true;
}
