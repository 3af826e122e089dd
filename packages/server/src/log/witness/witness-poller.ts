import { setTimeout as sleep } from 'node:timers/promises';
import { formatNote, type NoteSignature, parseNote } from '@countersign/tlog';
import type { Logger } from 'pino';
import type { WitnessSetting } from '../../config/witnesses.ts';
import { createSignal, type Signal } from '../../notify/delivery/signal.ts';
import { type LogError, WitnessAbsent } from '../log-error.ts';
import { askWitness, type SignedTree, type WitnessedLog, type WitnessOutcome } from './witness-client.ts';
import { WitnessUnreachable } from './witness-fetch.ts';

export interface WitnessingServices extends WitnessedLog {
  readonly witnesses: readonly WitnessSetting[];
  /** How long a confirmation is valid. Undefined if none is required. */
  readonly requireSeconds?: number | undefined;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  alarm(what: string): void;
}

/** How long ago a witness confirmed the log. */
export interface WitnessAge {
  readonly name: string;
  readonly ageMs: number;
}

/** Requests cosignatures of the log's checkpoints in the background. Every process of an installation does this. */
export interface WitnessPoller {
  /** Asks every witness about the published checkpoint, and returns when all have responded or timed out. */
  ask(): Promise<void>;
  /** Polls until `stop`, and soon after each `notify`. */
  start(): void;
  /** A checkpoint was published. */
  notify(): void;
  /** Why requests are suspended. Undefined if they are not. */
  error(): LogError | undefined;
  /** The newest cosigned tree with its cosignatures, and the time since which it is the newest. */
  cosigned(): (SignedTree & { readonly atMs: number }) | undefined;
  /** How long ago each witness confirmed the log, in milliseconds. One that never did counts from the start of this process. */
  ages(): readonly WitnessAge[];
  /** Stops, after a request for the last tree. */
  stop(): Promise<void>;
}

/** The shortest pause between requests to a witness while the log grows. */
const PAUSE_MS = 1_000;
/** Poll interval while the log does not grow: another copy of the installation may be in use. */
const IDLE_MS = 10_000;
/** Delay before the next request after it did not confirm. */
const RETRY_MS = 2_000;
/** How often the same problem with a witness is logged. */
const REPEAT_MS = 60_000;

/** State of one witness. */
interface State {
  readonly witness: WitnessSetting;
  readonly signal: Signal;
  /** The time of the request for its last confirmation, or the start of this process. */
  confirmedAtMs: number;
  /** Its last confirmation. */
  confirmed?: { readonly tree: SignedTree; readonly cosignature: NoteSignature };
  conflict?: LogError | undefined;
  alarmedAtMs?: number;
  trouble?: { readonly reason: string; readonly atMs: number } | undefined;
}

export function createWitnessPoller(services: WitnessingServices): WitnessPoller {
  const { witnesses, requireSeconds, log } = services;
  const states = witnesses.map((witness): State => ({ witness, signal: createSignal(), confirmedAtMs: performance.now() }));
  const ended = new AbortController();
  const idleMs = Math.min(IDLE_MS, ((requireSeconds ?? Number.POSITIVE_INFINITY) * 1000) / 4);
  /** INVARIANT: the time of the request, not of the response, so that a slow response is not valid for longer. */
  let confirmedAtMs = Number.NEGATIVE_INFINITY;
  let cosigned: (SignedTree & { readonly atMs: number }) | undefined;
  let running: Promise<unknown> | undefined;

  async function askOne(state: State): Promise<void> {
    note(state, await outcomeOf(state));
  }

  async function outcomeOf({ witness, confirmed }: State): Promise<WitnessOutcome> {
    try {
      return await askWitness(witness, confirmed?.tree.size, services);
    } catch (error) {
      if (error instanceof WitnessUnreachable) return { kind: 'FAILED', reason: error.message };
      // The database does not respond, or the stored log does not verify. The log's own loop reports both.
      return { kind: 'FAILED', reason: `the log could not be read: ${(error as Error).message}` };
    }
  }

  function note(state: State, outcome: WitnessOutcome): void {
    const { name } = state.witness.key;
    if (outcome.kind === 'CONFLICT') {
      const isKnown = state.conflict !== undefined && performance.now() - (state.alarmedAtMs ?? 0) < REPEAT_MS;
      state.conflict = outcome.error;
      // The other copy keeps growing, so the numbers in the message change. The alarm is the same.
      if (isKnown) return;
      state.alarmedAtMs = performance.now();
      services.alarm(outcome.error.message);
      return;
    }
    if (outcome.kind === 'FAILED') {
      const { trouble } = state;
      if (trouble?.reason === outcome.reason && performance.now() - trouble.atMs < REPEAT_MS) return;
      state.trouble = { reason: outcome.reason, atMs: performance.now() };
      log.warn({ witness: name, reason: outcome.reason }, 'a witness did not confirm the log');
      return;
    }
    if (state.trouble !== undefined || state.conflict !== undefined)
      log.info({ witness: name }, 'the witness confirms the log again');
    // INVARIANT: a conflict ends only when this witness confirms this log again, for example after the newest database was restored.
    state.conflict = undefined;
    state.trouble = undefined;
    state.confirmed = outcome;
    state.confirmedAtMs = outcome.askedAtMs;
    confirmedAtMs = Math.max(confirmedAtMs, outcome.askedAtMs);
    attach();
  }

  /** Puts the cosignatures on the largest tree that was confirmed. */
  function attach(): void {
    const confirmed = states.flatMap((state) => state.confirmed ?? []);
    const largest = Math.max(...confirmed.map(({ tree }) => tree.size));
    const onLargest = confirmed.filter(({ tree }) => tree.size === largest);
    const [{ tree }] = onLargest as [(typeof onLargest)[number]];
    const { text, signatures } = parseNote(tree.checkpoint);
    const checkpoint = formatNote({ text, signatures: [...signatures, ...onLargest.map(({ cosignature }) => cosignature)] });
    cosigned = { ...tree, checkpoint, atMs: performance.now() };
  }

  /** Witnesses are polled independently, so that a slow one does not delay the others. */
  async function work(state: State): Promise<void> {
    while (!ended.signal.aborted) {
      const isQuiet = state.trouble === undefined && state.conflict === undefined;
      await state.signal.wait(isQuiet ? idleMs : Math.min(RETRY_MS, idleMs), ended.signal);
      if (!ended.signal.aborted) await askOne(state);
      // An abort ends the pause early. It is not a failure.
      await sleep(PAUSE_MS, undefined, { signal: ended.signal }).catch(() => undefined);
    }
    await askOne(state);
  }

  return {
    async ask() {
      await Promise.all(states.map(askOne));
    },
    start() {
      running ??= Promise.all(states.map(work));
    },
    notify() {
      for (const { signal } of states) signal.notify();
    },
    error() {
      const conflict = states.find((state) => state.conflict !== undefined)?.conflict;
      if (conflict !== undefined || requireSeconds === undefined) return conflict;
      return performance.now() - confirmedAtMs > requireSeconds * 1000 ? new WitnessAbsent(requireSeconds) : undefined;
    },
    cosigned: () => cosigned,
    ages: () =>
      states.map(({ witness, confirmedAtMs }) => ({ name: witness.key.name, ageMs: performance.now() - confirmedAtMs })),
    async stop() {
      ended.abort();
      await running;
    },
  };
}
