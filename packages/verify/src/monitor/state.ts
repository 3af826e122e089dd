import { z } from 'zod';
import { AuditError } from '../audit-error.ts';

const FORMAT = 'countersign-monitor-1';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const entry = z.strictObject({ index: z.int().min(0), size: z.int().min(0), root: hash });

const shape = z.strictObject({
  format: z.literal(FORMAT),
  /** The verifier key of the root log. */
  rootKey: z.string(),
  /** The newest signed checkpoint of the root log. All entries of its tree were read. */
  root: z.string().optional(),
  /** By the number of the shard. */
  shards: z.record(
    z.string().regex(/^\d{1,5}$/),
    z.strictObject({
      /** The verifier key of its log. */
      key: z.string(),
      /** Its newest entry in the root log. */
      entered: entry,
      /** The newest signed checkpoint that the shard has shown. */
      shown: z.string().optional(),
      /** Entries of the root log that the shard has not shown yet. */
      unshown: z.array(entry),
    }),
  ),
  /** Since when something is not as it should be, in milliseconds of Unix time. */
  since: z.record(z.string(), z.number()),
});

/** What a monitor has seen. It is compared with what the logs show later. */
export type MonitorState = z.output<typeof shape>;
export type WatchedShard = MonitorState['shards'][string];
export type SeenEntry = z.output<typeof entry>;

export const newMonitorState = (rootKey: string): MonitorState => ({ format: FORMAT, rootKey, shards: {}, since: {} });

/** Throws AuditError for a text that `formatMonitorState` did not write, or of another root log. */
export function parseMonitorState(text: string, rootKey: string): MonitorState {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AuditError('it is not JSON');
  }
  const parsed = shape.safeParse(value);
  if (!parsed.success) throw new AuditError('it is not the state of a monitor');
  if (parsed.data.rootKey !== rootKey) throw new AuditError('it is of another root log');
  return parsed.data;
}

export const formatMonitorState = (state: MonitorState): string => `${JSON.stringify(state, null, 1)}\n`;
