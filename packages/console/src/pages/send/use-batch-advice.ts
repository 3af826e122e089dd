import { useState } from 'react';
import type { PreparedRow } from './batch-previews.ts';
import type { RowAdvice } from './batch-rows.tsx';
import type { CheckedRow } from './check-rows.ts';
import { earlierFindings, transferOf } from './earlier.ts';
import type { useBatch } from './use-batch.ts';
import { keyOfTransfer, useEarlier, useOutcomes } from './use-earlier.ts';

/** A confirmation of some lines. It does not cover lines that are added later. */
export function useConfirmedLines(lines: readonly number[]) {
  const [confirmed, setConfirmed] = useState<readonly number[]>([]);
  return {
    lines,
    isConfirmed: lines.length > 0 && lines.every((line) => confirmed.includes(line)),
    confirm: (isConfirmed: boolean) => setConfirmed(isConfirmed ? lines : []),
  };
}

/**
 * Earlier requests for the payments of a file. Rows that have one are left out unless the person confirms them.
 * SECURITY: D1131: nothing is submitted before the search has ended.
 */
export function useRepeated(
  rows: readonly CheckedRow[] | undefined,
  { results, isRunning, runs }: Pick<ReturnType<typeof useBatch>, 'results' | 'isRunning' | 'runs'>,
) {
  const payments = (rows ?? []).flatMap(({ line, payment }) => (payment ? [{ line, transfer: transferOf(payment) }] : []));
  const query = useEarlier(
    payments.map(({ transfer }) => transfer),
    { enabled: !isRunning, runs },
  );
  const own = new Set([...results.values()].flatMap(({ activityId }) => activityId ?? []));
  const findings = new Map(
    payments.map(({ line, transfer }) => [line, earlierFindings(transfer, query.data?.get(keyOfTransfer(transfer)) ?? [], own)]),
  );
  const again = useConfirmedLines(
    payments.flatMap(({ line }) => {
      const isDone = results.get(line)?.activityId !== undefined;
      return !isDone && findings.get(line)?.length ? [line] : [];
    }),
  );
  const leftOut: ReadonlySet<number> = new Set(again.isConfirmed ? [] : again.lines);
  const { error, data, refetch } = query;
  return { findings, again, leftOut, isLoaded: data !== undefined, error, retry: () => void refetch() };
}

/** The expected decisions of the rows that are right. */
export function useExpected(rows: readonly PreparedRow[], isRunning: boolean) {
  const asked = rows.flatMap(({ row: { line }, preview, refused }) =>
    preview !== undefined && refused === undefined ? [{ line, request: preview.request }] : [],
  );
  const { data, error, isFetching } = useOutcomes(
    asked.map(({ request }) => request),
    !isRunning,
  );
  const outcomes = new Map(asked.map(({ line }, index) => [line, data?.[index]]));
  return {
    error,
    isSettled: data !== undefined || error !== null,
    deniedAmong: (lines: readonly number[]) => lines.filter((line) => outcomes.get(line) === 'DENY'),
    outcomeOf: (line: number): RowAdvice['outcome'] =>
      outcomes.get(line) ?? (outcomes.has(line) && isFetching ? 'checking' : undefined),
  };
}
