import type { Caller } from '../../../support/caller.ts';
import { type Attempt, type Effect, type History, isTerminal, label } from './history.ts';
import type { Place } from './serving.ts';
import { activityKey, type Counts, readStored, type Stored, type StoredActivity } from './stored.ts';

/** The fate of requests whose sender got no answer. */
export interface Resolved {
  /** The request ran anyway. */
  done: number;
  /** The request left no trace. */
  absent: number;
}

/** Compares a history with a service and its database, repeatedly as both continue. */
export class Checker {
  readonly resolved: Resolved = { done: 0, absent: 0 };
  readonly #history: History;
  readonly #place: Place;
  readonly #before: Stored;
  #ended = new Map<string, StoredActivity>();
  #checked = 0;

  /** `before` is what was stored when the history began. */
  private constructor(history: History, place: Place, before: Stored) {
    this.#history = history;
    this.#place = place;
    this.#before = before;
  }

  static async create(history: History, place: Place): Promise<Checker> {
    return new Checker(history, place, await readStored(await place.raw()));
  }

  /**
   * No request may be in flight. Every acknowledged activity must be stored as it was. Those since the last check are
   * also read by id and by sending their bodies again, and those without an answer are sent until they have one.
   */
  async check(url: string): Promise<void> {
    const fresh = this.#history.attempts.slice(this.#checked);
    this.#compare(await this.#read());
    await this.#askFor(fresh, url);
    const after = await this.#read();
    this.#compare(after);
    this.#count(after.counts);
    this.#checked = this.#history.attempts.length;
  }

  /** Compares the history with the database alone, where asking for each activity would take too long. */
  async checkStored(): Promise<void> {
    this.#compare(await this.#read());
    this.#checked = this.#history.attempts.length;
  }

  /** Reads every activity of the history once more. */
  async checkAll(url: string): Promise<void> {
    this.#checked = 0;
    await this.check(url);
  }

  async #read(): Promise<Stored> {
    return readStored(await this.#place.raw());
  }

  /** R1, R4: acknowledged activities exist, and ended ones stay the same to the byte. */
  #compare({ activities }: Stored): void {
    const { lostAcks, illegalTransitions, doubleExecutions, others } = this.#history.violations;
    const expected = new Set(this.#before.activities.keys());
    for (const attempt of this.#history.attempts) {
      const subject = attempt.about ?? attempt;
      const key = keyOf(subject);
      const stored = activities.get(key);
      expected.add(key);
      if (attempt.outcome === 'ok' || attempt.outcome === 'denied') {
        if (stored === undefined) lostAcks.push(`${label(attempt)} is not stored`);
        else if (stored.id !== subject.activityId) doubleExecutions.push(`${label(attempt)} is stored as ${stored.id}`);
        else if (subject.status !== undefined && isTerminal(subject.status) && stored.status !== subject.status)
          illegalTransitions.push(`${label(attempt)} was ${subject.status} and is stored as ${stored.status}`);
      }
      if (attempt.outcome === 'refused' && attempt.about === undefined && stored !== undefined)
        others.push(`${label(attempt)} was refused and is stored as ${stored.status}`);
      if (stored !== undefined && !isTerminal(stored.status) && stored.status !== 'ACTIVITY_STATUS_CONSENSUS_NEEDED')
        others.push(`${label(attempt)} is stored half done: ${stored.status}`);
    }
    for (const [key, end] of this.#ended) {
      const stored = activities.get(key);
      if (stored?.body !== end.body || stored.revision !== end.revision)
        illegalTransitions.push(`${key} had ended as ${end.body}, and is ${stored?.body}`);
    }
    for (const [key, stored] of activities) {
      if (!expected.has(key)) others.push(`${key} is stored and was never sent`);
      if (isTerminal(stored.status)) this.#ended.set(key, stored);
    }
  }

  async #askFor(attempts: readonly Attempt[], url: string): Promise<void> {
    const { activities } = await this.#read();
    const queue = attempts.filter(({ outcome }) => outcome !== 'refused');
    const ask = async () => {
      for (let attempt = queue.shift(); attempt !== undefined; attempt = queue.shift()) {
        if (attempt.outcome === 'unknown' || attempt.outcome === 'under way') await this.#settle(attempt, activities, url);
        else await this.#readBack(attempt, url);
      }
    };
    await Promise.all(Array.from({ length: 8 }, ask));
  }

  /** R2: a repeated body runs if it did not run before, and is found if it did. */
  async #settle(attempt: Attempt, activities: Stored['activities'], url: string): Promise<void> {
    const stored = activities.get(keyOf(attempt.about ?? attempt));
    const wasDone = stored !== undefined && (attempt.about === undefined || isTerminal(stored.status));
    this.resolved[wasDone ? 'done' : 'absent'] += 1;
    await this.#history.send(attempt, url);
    if (attempt.outcome !== 'ok' && attempt.outcome !== 'denied')
      this.#history.violations.others.push(`${label(attempt)} is ${attempt.outcome} also when it is sent again`);
    else await this.#readBack(attempt, url);
  }

  async #readBack(attempt: Attempt, url: string): Promise<void> {
    const { activityId = '' } = attempt.about ?? attempt;
    const startedMs = performance.now();
    const answer = await (attempt.caller.with({ url }) as Caller).query('getActivity', { activityId });
    if (answer.status === 200) this.#history.observe(attempt, answer.body.activity.result.activity, startedMs);
    else this.#history.violations.lostAcks.push(`${label(attempt)} is not found by its id: ${JSON.stringify(answer.body)}`);
    await this.#history.send(attempt, url);
  }

  /** Every completed activity has its objects exactly once, and secrets exist exactly for objects that need one. */
  #count(counts: Counts): void {
    const { lostAcks, doubleExecutions, others } = this.#history.violations;
    const completed = this.#history.attempts.filter(({ status }) => status === 'ACTIVITY_STATUS_COMPLETED');
    for (const kind of ['organization', 'user', 'wallet', 'walletAccount', 'privateKey'] as const satisfies (keyof Effect)[]) {
      const expected = completed.reduce((sum, { effect }) => sum + (effect[kind] ?? 0), this.#before.counts[kind]);
      if (counts[kind] > expected) doubleExecutions.push(`there are ${counts[kind]} of ${kind}, not ${expected}`);
      if (counts[kind] < expected) lostAcks.push(`there are ${counts[kind]} of ${kind}, not ${expected}`);
    }
    const { secret, wallet, privateKey, dataKey, organization } = counts;
    if (secret !== wallet + privateKey) others.push(`${secret} secrets for ${wallet} wallets and ${privateKey} private keys`);
    if (dataKey !== organization) others.push(`${dataKey} data keys for ${organization} organizations`);
  }
}

function keyOf({ caller, fingerprint }: Attempt): string {
  return activityKey(caller.organizationId, fingerprint);
}
