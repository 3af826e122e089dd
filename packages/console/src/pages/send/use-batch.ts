import type { Client, StampedRequest } from '@countersign/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '../../data/errors.ts';
import { refresh } from '../../data/refresh.ts';
import { writerOf } from '../../data/submit.ts';
import { useSession } from '../../session/context.tsx';
import type { PreparedRow } from './batch-previews.ts';

/** Result of a row: an activity and its status, or an error. */
export interface RowResult {
  readonly activityId?: string;
  readonly status?: string;
  readonly error?: string;
}

export type Results = ReadonlyMap<number, RowResult>;

/**
 * Submits one activity for each row, in order. It stops at the first error, so that no nonce is skipped. Another run submits the remaining rows.
 */
export function useBatch() {
  const session = useSession();
  const queries = useQueryClient();
  const [results, setResults] = useState<Results>(new Map());
  const [isRunning, setRunning] = useState(false);
  async function run(rows: readonly PreparedRow[]): Promise<void> {
    setRunning(true);
    const done = new Map(results);
    try {
      const writer = await writerOf(session, queries);
      for (const { row, preview } of rows) {
        if (preview === undefined || done.get(row.line)?.activityId !== undefined) continue;
        const result = await submit(writer, preview.request);
        done.set(row.line, result);
        setResults(new Map(done));
        if (result.activityId === undefined) break;
      }
    } finally {
      setRunning(false);
      void refresh(queries);
    }
  }
  return { results, isRunning, run, clear: () => setResults(new Map()) };
}

async function submit(writer: Client, { type, parameters, reference }: StampedRequest): Promise<RowResult> {
  const options = reference === undefined ? {} : { reference };
  try {
    const { activity } =
      type === 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION'
        ? await writer.ethSendTransaction(parameters as never, options)
        : await writer.signTransaction(parameters as never, options);
    return { activityId: activity.id, status: activity.status };
  } catch (error) {
    return { error: messageOf(error) };
  }
}
