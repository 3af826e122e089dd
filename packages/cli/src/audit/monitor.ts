import { setTimeout as sleep } from 'node:timers/promises';
import {
  AuditError,
  type Finding,
  type MonitoredLogs,
  type MonitorRound,
  type MonitorState,
  monitorRound,
} from '@countersign/verify';
import { UsageError } from '../errors.ts';
import { SilentError } from '../silent-error.ts';
import { readMonitorState, writeMonitorState } from './monitor-state.ts';

export interface MonitorOptions {
  readonly logs: MonitoredLogs;
  /** The file with what was seen. */
  readonly stateFile: string;
  readonly intervalMs: number;
  /** How long a condition may last before it is reported. */
  readonly graceMs: number;
  /** Whether to end after one round. */
  readonly isOnce: boolean;
  /** Resolves when the command must end. */
  readonly stopped: Promise<void>;
  report(event: MonitorEvent): void;
}

export type MonitorEvent =
  /** After the first round: what was found that may pass. */
  | { readonly kind: 'FOLLOWED'; readonly shards: number; readonly waitsFor: readonly string[] }
  /** Proven, and the end of the command. */
  | { readonly kind: 'CONTRADICTION'; readonly text: string; readonly evidence: readonly string[] }
  /** Lasts for longer than it should, since a time in milliseconds. */
  | { readonly kind: 'CONDITION'; readonly text: string; readonly sinceMs: number; readonly evidence: readonly string[] }
  /** A reported condition has ended. */
  | { readonly kind: 'ENDED'; readonly text: string };

/** Follows the logs until it is stopped. Throws SilentError after a contradiction, and after one round with a lasting condition. */
export async function followLogs(options: MonitorOptions): Promise<void> {
  const { logs, stateFile, intervalMs, graceMs, isOnce, stopped, report } = options;
  let state = await readMonitorState(stateFile, logs.rootKey);
  const reported = new Map<string, Finding>();
  const ended = new AbortController();
  stopped.then(() => ended.abort());
  for (let isFirst = true; ; isFirst = false) {
    const round = await checked(() => monitorRound(state, logs, Date.now()));
    if (round.contradictions.length > 0) {
      for (const { text, evidence } of round.contradictions) report({ kind: 'CONTRADICTION', text, evidence });
      throw new SilentError();
    }
    state = round.state;
    await writeMonitorState(stateFile, state);
    const waitsFor = round.conditions.map(({ text }) => text);
    if (isFirst) report({ kind: 'FOLLOWED', shards: Object.keys(state.shards).length, waitsFor });
    reportConditions(round, state, reported, graceMs, report);
    if (isOnce && reported.size > 0) throw new SilentError();
    if (isOnce || ended.signal.aborted) return;
    // An abort ends the pause early. It is not a failure.
    await sleep(intervalMs, undefined, { signal: ended.signal }).catch(() => undefined);
    if (ended.signal.aborted) return;
  }
}

function reportConditions(
  { conditions }: MonitorRound,
  { since }: MonitorState,
  reported: Map<string, Finding>,
  graceMs: number,
  report: MonitorOptions['report'],
): void {
  for (const [id, { text }] of reported)
    if (!conditions.some((each) => each.id === id)) {
      reported.delete(id);
      report({ kind: 'ENDED', text });
    }
  for (const finding of conditions) {
    const { id, text, evidence } = finding;
    const sinceMs = since[id] as number;
    if (reported.has(id) || Date.now() - sinceMs < graceMs) continue;
    reported.set(id, finding);
    report({ kind: 'CONDITION', text, sinceMs, evidence });
  }
}

/** A wrong key is an error of the user. What a log shows is not. */
async function checked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AuditError)) throw error;
    throw new UsageError(`A key cannot be used: ${error.message}.`, 'Check --root-key and --witness-key.');
  }
}
