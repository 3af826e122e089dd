import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import type { Activities } from '@countersign/contract';
import type { Answer, Caller, Json } from '../../../support/caller.ts';

/** The objects that a completed activity creates or removes. */
export type Effect = Readonly<Partial<Record<'organization' | 'user' | 'wallet' | 'walletAccount' | 'privateKey', number>>>;

/** A request to send: who requests what. */
export interface Draft {
  readonly name: keyof Activities;
  readonly caller: Caller;
  readonly parameters: object;
  readonly effect: Effect;
  /** For a vote: the attempt that made the activity. */
  readonly about?: Attempt;
  /** Called with the activity's result when it is acknowledged as completed. */
  readonly learn?: (result: Json) => void;
}

/** A body that was sent at least once, and what its sender knows about it. */
export interface Attempt extends Draft {
  readonly number: number;
  readonly body: string;
  readonly fingerprint: string;
  /** `denied`: stored as failed, by policy. `refused`: reported as not run. `unknown`: no answer, or an inconclusive one. */
  outcome: 'under way' | 'ok' | 'denied' | 'refused' | 'unknown';
  activityId?: string;
  status?: string;
  /** Why it was refused. */
  errorCode?: string;
}

/** What must never happen, each with the attempt that it happened to. */
export interface Violations {
  readonly lostAcks: string[];
  readonly doubleExecutions: string[];
  readonly illegalTransitions: string[];
  readonly others: string[];
}

/** An answer and how long it took. */
export interface Exchange {
  readonly attempt: Attempt;
  readonly answer: Answer;
  readonly elapsedMs: number;
}

interface Seen {
  readonly status: string;
  readonly result: string;
  readonly atMs: number;
}

/** A live server answers within this time, also on a busy machine, and a dead one ends its connections. */
const ANSWER_MS = 60_000;

class NoAnswer extends Error {}

const terminal = new Set(['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_FAILED', 'ACTIVITY_STATUS_REJECTED']);

export const isTerminal = (status: string) => terminal.has(status);

/** The client's view: every request, every answer, and contradictions to earlier answers. */
export class History {
  readonly attempts: Attempt[] = [];
  readonly violations: Violations = { lostAcks: [], doubleExecutions: [], illegalTransitions: [], others: [] };
  readonly #ends = new Map<string, Seen>();
  readonly #file: string | undefined;
  readonly #onExchange: (exchange: Exchange) => void;
  repeats = 0;

  /** `file` gets one JSON line for each request and each answer. */
  constructor(file?: string, onExchange: (exchange: Exchange) => void = () => {}) {
    this.#file = file;
    this.#onExchange = onExchange;
  }

  add(draft: Draft): Attempt {
    const body = draft.caller.submitBody(draft.name, draft.parameters);
    const fingerprint = `sha256:${createHash('sha256').update(body).digest('hex')}`;
    const attempt: Attempt = { ...draft, number: this.attempts.length + 1, body, fingerprint, outcome: 'under way' };
    this.attempts.push(attempt);
    return attempt;
  }

  /** Sends the body with a new stamp to the server at `url`, and compares the answer with all earlier ones. */
  async send(attempt: Attempt, url: string): Promise<Answer | undefined> {
    const { caller, name, body } = attempt;
    const startedMs = performance.now();
    const acknowledged = attempt.outcome === 'ok' || attempt.outcome === 'denied';
    this.#note('invoke', attempt);
    let answer: Answer;
    try {
      answer = await withinMs(ANSWER_MS, caller.with({ url }).send(caller.submitPath(name), body));
    } catch (error) {
      if (error instanceof NoAnswer)
        this.violations.others.push(`${label(attempt)} hung: no answer, and no end of the connection`);
      if (attempt.outcome === 'under way') attempt.outcome = 'unknown';
      this.#note('unknown', attempt, { error: String((error as Error).cause ?? error) });
      return undefined;
    }
    this.#onExchange({ attempt, answer, elapsedMs: performance.now() - startedMs });
    this.#judge(attempt, answer, startedMs, acknowledged);
    return answer;
  }

  /** Compares an activity from a query with all earlier answers about it. */
  observe(attempt: Attempt, activity: { id: string; status: string; result: unknown }, startedMs: number): void {
    const { id, status } = activity;
    const subject = attempt.about ?? attempt;
    if (subject.activityId !== undefined && subject.activityId !== id)
      this.violations.doubleExecutions.push(`${label(subject)} led to ${subject.activityId} and to ${id}`);
    subject.activityId ??= id;
    const seen: Seen = { status, result: JSON.stringify(activity.result), atMs: performance.now() };
    const end = this.#ends.get(id);
    if (end === undefined) {
      if (isTerminal(status)) this.#ends.set(id, seen);
      subject.status = status;
      return;
    }
    // A request sent before the end was known may have been answered before the end.
    if (status !== end.status && (isTerminal(status) || startedMs > end.atMs))
      this.violations.illegalTransitions.push(`${label(subject)}: ${end.status}, and then ${status}`);
    if (status === end.status && seen.result !== end.result)
      this.violations.doubleExecutions.push(`${label(subject)} has two results: ${end.result} and ${seen.result}`);
  }

  #judge(attempt: Attempt, answer: Answer, startedMs: number, acknowledged: boolean): void {
    const { status, body } = answer;
    const denied = status === 403 ? body.details?.find((detail: Json) => detail.activityId)?.activityId : undefined;
    if (status === 200) {
      const { id, status: reached, result } = body.activity;
      this.observe(attempt, { id, status: reached, result: result.activity.result }, startedMs);
      const first = attempt.outcome !== 'ok';
      attempt.outcome = 'ok';
      if (first && reached === 'ACTIVITY_STATUS_COMPLETED') attempt.learn?.(Object.values(result.activity.result)[0]);
      this.#note('ok', attempt, { id, status: reached });
    } else if (denied !== undefined) {
      this.observe(attempt, { id: denied, status: 'ACTIVITY_STATUS_FAILED', result: {} }, startedMs);
      attempt.outcome = 'denied';
      this.#note('denied', attempt, { id: denied });
    } else {
      const open = status >= 500;
      if (acknowledged && !open)
        this.violations.lostAcks.push(`${label(attempt)} was acknowledged, then refused: ${say(answer)}`);
      if (status >= 500 && status !== 503) this.violations.others.push(`${label(attempt)} was answered with ${say(answer)}`);
      if (attempt.outcome === 'under way' || attempt.outcome === 'unknown') attempt.outcome = open ? 'unknown' : 'refused';
      attempt.errorCode = body.errorCode;
      this.#note(open ? 'unknown' : 'refused', attempt, { status, errorCode: body.errorCode });
    }
  }

  #note(event: string, { number, name, fingerprint }: Attempt, more: object = {}): void {
    if (this.#file === undefined) return;
    appendFileSync(this.#file, `${JSON.stringify({ atMs: Date.now(), event, number, name, fingerprint, ...more })}\n`);
  }
}

/** The name of an attempt in a report. */
export function label({ number, name, caller, fingerprint }: Attempt): string {
  return `attempt ${number} (${name} in ${caller.organizationId}, ${fingerprint})`;
}

function say({ status, body }: Answer): string {
  return `${status} ${JSON.stringify(body)}`;
}

async function withinMs<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer()), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
