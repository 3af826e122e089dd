import { invalidField } from '../wire/refuse.ts';

/** The position at which a backtest continues. It contains nothing that its holder could not query anyway. */
export interface BacktestCursor {
  /** The last activity that was read. */
  readonly afterId: string;
  /** The end of the range: this id and later ones are excluded. */
  readonly endId: string;
  /** When the first part was run. The backtest ignores later changes of the organization. */
  readonly startedAtMs: number;
  /** The name under which the replayed usage is cached. Undefined without spending limits. */
  readonly replay?: string | undefined;
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const shape = new RegExp(`^(${uuid})\\.(${uuid})\\.(\\d{1,15})(?:\\.(${uuid}))?$`);

export function writeCursor({ afterId, endId, startedAtMs, replay }: BacktestCursor): string {
  return [afterId, endId, startedAtMs, ...(replay === undefined ? [] : [replay])].join('.');
}

export function readCursor(text: string): BacktestCursor {
  const [, afterId, endId, startedAtMs, replay] = shape.exec(text) ?? [];
  if (afterId === undefined || endId === undefined) throw invalidField('cursor', 'is not the `next` of a response');
  return { afterId, endId, startedAtMs: Number(startedAtMs), replay };
}
