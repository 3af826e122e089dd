import { invalidField } from '../../wire/refuse.ts';

/** Where a backtest goes on. It says nothing that its holder could not ask for anyway. */
export interface BacktestCursor {
  /** The last activity that was read. */
  readonly afterId: string;
  /** Activities from this id on are not part of the range. */
  readonly endId: string;
  /** When the first part was answered. Later changes of the organization are not part of its past. */
  readonly startedAtMs: number;
  /** What limits over time have counted so far is kept under this name, where there are any. */
  readonly replay?: string | undefined;
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const shape = new RegExp(`^(${uuid})\\.(${uuid})\\.(\\d{1,15})(?:\\.(${uuid}))?$`);

export function writeCursor({ afterId, endId, startedAtMs, replay }: BacktestCursor): string {
  return [afterId, endId, startedAtMs, ...(replay === undefined ? [] : [replay])].join('.');
}

export function readCursor(text: string): BacktestCursor {
  const [, afterId, endId, startedAtMs, replay] = shape.exec(text) ?? [];
  if (afterId === undefined || endId === undefined) throw invalidField('cursor', 'is not what an answer gave as `next`');
  return { afterId, endId, startedAtMs: Number(startedAtMs), replay };
}
