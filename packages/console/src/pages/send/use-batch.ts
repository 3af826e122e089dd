import { type Client, CountersignError, type StampedRequest } from '@countersign/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { messageOf } from '../../data/errors.ts';
import { refresh } from '../../data/refresh.ts';
import { writerOf } from '../../data/submit.ts';
import { useSession } from '../../session/context.tsx';
import type { PreparedRow } from './batch-previews.ts';

/** Status of a row whose payment was sent within the last 24 hours, so that nothing was sent again. */
export const SENT_BEFORE = 'SENT_BEFORE';

/** Result of a row: an activity and its status, or an error. */
export interface RowResult {
  readonly activityId?: string;
  readonly status?: string;
  readonly error?: string;
  /** The nonce of a payment that was submitted. Undefined if the service sends it. */
  readonly nonce?: bigint | undefined;
}

export type Results = ReadonlyMap<number, RowResult>;

/**
 * Submits one activity for each row, in order. It stops at the first error, so that no nonce is skipped, and if the page is left. Another run
 * submits the remaining rows.
 */
export function useBatch() {
  const session = useSession();
  const queries = useQueryClient();
  const [results, setResults] = useState<Results>(new Map());
  const [isRunning, setRunning] = useState(false);
  const [runs, setRuns] = useState(0);
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  async function run(rows: readonly PreparedRow[]): Promise<void> {
    setRunning(true);
    const done = new Map(results);
    try {
      const writer = await writerOf(session, queries);
      for (const { row, preview, nonce } of rows) {
        if (preview === undefined || done.get(row.line)?.activityId !== undefined) continue;
        if (!isOpen.current) break;
        const result = await submit(writer, preview.request);
        done.set(row.line, { ...result, ...(result.activityId !== undefined && { nonce }) });
        setResults(new Map(done));
        if (result.activityId === undefined) break;
      }
    } finally {
      setRunning(false);
      setRuns((count) => count + 1);
      void refresh(queries);
    }
  }
  return { results, isRunning, runs, run, clear: () => setResults(new Map()) };
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
    const activityId = sentBefore(error);
    return activityId === undefined ? { error: messageOf(error) } : { activityId, status: SENT_BEFORE };
  }
}

/** The activity that sent the payment before. Undefined for other errors. */
function sentBefore(error: unknown): string | undefined {
  if (!(error instanceof CountersignError) || error.code !== 'IDEMPOTENCY_KEY_USED') return undefined;
  const [id] = error.details.flatMap((detail) => (detail as { activityId?: string } | null)?.activityId ?? []);
  return id;
}

/** The nonces of the lines that were submitted. */
export function usedNonces(results: Results): ReadonlyMap<number, bigint> {
  return new Map([...results].flatMap(([line, { nonce }]) => (nonce === undefined ? [] : [[line, nonce] as const])));
}
