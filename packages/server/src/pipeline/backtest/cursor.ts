import { invalidField } from '../../wire/refuse.ts';

/** Where a backtest goes on. It says nothing that its holder could not ask for anyway. */
export interface BacktestCursor {
  /** The last activity that was read. */
  readonly afterId: string;
  /** Activities from this id on are not part of the range. */
  readonly endId: string;
  /** When the first part was answered. Later changes of the organization are not part of its past. */
  readonly startedAtMs: number;
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const shape = new RegExp(`^(${uuid})\\.(${uuid})\\.(\\d{1,15})$`);

export function writeCursor({ afterId, endId, startedAtMs }: BacktestCursor): string {
  return `${afterId}.${endId}.${startedAtMs}`;
}

export function readCursor(text: string): BacktestCursor {
  const [, afterId, endId, startedAtMs] = shape.exec(text) ?? [];
  if (afterId === undefined || endId === undefined) throw invalidField('cursor', 'is not what an answer gave as `next`');
  return { afterId, endId, startedAtMs: Number(startedAtMs) };
}
