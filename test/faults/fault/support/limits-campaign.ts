import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fingerprintOf } from '../../../features/policies/support.ts';
import { createLimited, type Limited, limitEther, pointsOf, transferParams } from '../../../features/usage/support.ts';
import type { Answer, Json } from '../../../support/caller.ts';
import { bodyOf } from '../../../support/packed-rows.ts';
import type { RawDatabase } from '../../../support/raw-database.ts';
import { checkLimits, type Limit, type LimitViolations, noViolations, type Spend, type StoredSpend } from './limits-checker.ts';
import { type Place, type Serving, serve } from './serving.ts';
import { oneOf } from './workload.ts';

const CLOCK_STEP = new URL('clock-step.mjs', import.meta.url).href;

export interface LimitsOptions {
  readonly place: Place;
  readonly rounds: number;
  /** A server is killed after so many rounds, in the middle of one. */
  readonly killEvery?: number;
  /** The database is restarted, or for a file both servers are killed at once, after so many rounds. */
  readonly restartEvery?: number;
  /** Ends the database server with kill -9 and starts it again. */
  readonly restartDatabase?: () => Promise<void>;
  readonly onRound?: (round: number) => void;
}

export interface LimitsReport {
  readonly rounds: number;
  readonly kills: number;
  readonly restarts: number;
  readonly clockSteps: number;
  readonly requests: number;
  readonly released: number;
  readonly denied: number;
  /** Requests without an answer at first. All were sent again. */
  readonly unanswered: number;
  readonly violations: LimitViolations;
}

const THOUSANDTH = 10n ** 15n;
const AT_ONCE = 12;
/** A window that is full most of the time, and frees up within a few rounds. */
const WINDOW = { thousandths: 20n, seconds: 2 };
/** All that may ever be spent before the limit is reset. */
const TOTAL = { thousandths: 60n };
const RESET_EVERY = 6;
const STEP_EVERY = 3;
/** The furthest that a clock is set ahead. Callers stamp by the clock of the machine, and would not be taken further ahead. */
const MAX_AHEAD_MS = 120_000;

/** Two servers on one database, of which one or the other may be gone. */
class Pair {
  readonly #place: Place;
  readonly #clockFiles: readonly string[];
  #nodes: (Serving | undefined)[] = [];
  #starting: Promise<void>[] = [];
  kills = 0;
  clockSteps = 0;

  constructor(place: Place) {
    this.#place = place;
    this.#clockFiles = [0, 1].map((index) => join(place.directory, `clock-${index}`));
  }

  async start(): Promise<void> {
    await this.#serve(0);
    await this.#serve(1);
  }

  async #serve(index: number): Promise<void> {
    const environment = { NODE_OPTIONS: `--import ${CLOCK_STEP}`, CLOCK_STEP_FILE: this.#clockFiles[index] as string };
    for (let tries = 0; ; tries++) {
      try {
        this.#nodes[index] = await serve(this.#place, ['--workers', '1', '--max-kept-refusals', '0'], { environment });
        return;
      } catch (error) {
        // The database may be gone at this moment.
        if (tries === 20) throw error;
        await sleep(250);
      }
    }
  }

  get root() {
    return (this.#nodes.find((node) => node !== undefined) as Serving).root;
  }

  /** The address of a server that runs. */
  url(): string | undefined {
    return oneOf(this.#nodes.filter((node) => node !== undefined))?.url;
  }

  /** kill -9. The server is started again in the background. */
  async kill(indexes: readonly number[]): Promise<void> {
    // One that is still starting is left alone.
    const running = indexes.filter((index) => this.#nodes[index] !== undefined);
    const gone = running.map((index) => this.#nodes[index] as Serving);
    for (const index of running) this.#nodes[index] = undefined;
    await Promise.all(gone.map((node) => node.kill()));
    this.kills += gone.length;
    this.#starting = [...this.#starting, ...running.map((index) => this.#serve(index))];
  }

  async allStarted(): Promise<void> {
    await Promise.all(this.#starting.splice(0));
  }

  stepClock(): void {
    writeFileSync(oneOf(this.#clockFiles), String(Math.floor(Math.random() * MAX_AHEAD_MS)));
    this.clockSteps += 1;
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.#starting);
    await Promise.all(this.#nodes.map((node) => node?.kill()));
    for (const file of this.#clockFiles) rmSync(file, { force: true });
  }
}

interface Sent extends Spend {
  readonly body: string;
}

/** Rounds of concurrent spending at two servers, with kills, clock steps and restarts of the database; then a check of all of it. */
export async function runLimits(options: LimitsOptions): Promise<LimitsReport> {
  const { place, rounds, killEvery = 8, restartEvery = 40, restartDatabase } = options;
  const pair = new Pair(place);
  const spends: Sent[] = [];
  const violations = noViolations();
  let unanswered = 0;
  let restarts = 0;
  try {
    await pair.start();
    const controls: Record<string, string> = {};
    const limited = await createLimited(
      pair.root,
      "activity.action == 'SIGN' && controls.window && controls.total",
      async (root) => {
        const inEther = (thousandths: bigint) => `0.${String(thousandths).padStart(3, '0')}`;
        const window = { identifier: 'window', threshold: inEther(WINDOW.thousandths), seconds: WINDOW.seconds };
        controls.window = await limitEther(root, window);
        controls.total = await limitEther(root, { identifier: 'total', threshold: inEther(TOTAL.thousandths) });
      },
    );
    const send = async (sent: Sent): Promise<boolean> => {
      const url = pair.url();
      if (url === undefined) return false;
      const { caller } = limited.member;
      return note(
        sent,
        await caller
          .with({ url })
          .send(caller.submitPath('signTransaction'), sent.body)
          .catch(() => undefined),
        violations,
      );
    };
    for (let round = 1; round <= rounds; round++) {
      if (round % RESET_EVERY === 0) await reset(pair, limited, controls.total as string);
      if (round % STEP_EVERY === 0) pair.stepClock();
      const burst = Array.from({ length: AT_ONCE }, () => newSpend(limited));
      spends.push(...burst);
      // Some are sent twice at the same time, to either server.
      const sending = burst.flatMap((sent, index) => (index % 4 === 0 ? [send(sent), send(sent)] : [send(sent)]));
      if (round % killEvery === 0) await sleep(Math.random() * 60).then(() => pair.kill([round % 2]));
      if (round % restartEvery === 0) {
        await sleep(Math.random() * 30);
        if (restartDatabase === undefined) await pair.kill([0, 1]);
        else await restartDatabase();
        restarts += 1;
      }
      await Promise.all(sending);
      if (round % restartEvery === 0) await pair.allStarted();
      const open = burst.filter(({ released, denied }) => released === undefined && denied === undefined);
      unanswered += open.length;
      for (const sent of open) await untilAnswered(sent, send, violations);
      options.onRound?.(round);
    }
    await pair.allStarted();
    const raw = await place.raw();
    const limits: Limit[] = [
      { controlId: controls.window as string, threshold: WINDOW.thousandths * THOUSANDTH, windowMs: WINDOW.seconds * 1000 },
      { controlId: controls.total as string, threshold: TOTAL.thousandths * THOUSANDTH },
    ];
    const found = checkLimits(spends, await storedSpends(raw, limited.id), await pointsOf(raw, limited.id), limits);
    for (const kind of Object.keys(found) as (keyof LimitViolations)[]) violations[kind].push(...found[kind]);
  } finally {
    await pair.stop();
  }
  return {
    rounds,
    kills: pair.kills,
    restarts,
    clockSteps: pair.clockSteps,
    requests: spends.length,
    released: spends.filter(({ released }) => released !== undefined).length,
    denied: spends.filter(({ denied }) => denied).length,
    unanswered,
    violations,
  };
}

function newSpend({ member, address }: Limited): Sent {
  const thousandths = 1 + Math.floor(Math.random() * 5);
  const body = member.caller.submitBody('signTransaction', transferParams(address, thousandths));
  return { body, fingerprint: fingerprintOf(body), amount: BigInt(thousandths) * THOUSANDTH };
}

/** Takes note of an answer. False where there was none, or the server could not say. */
function note(sent: Sent, answer: Answer | undefined, { others }: LimitViolations): boolean {
  if (answer === undefined || answer.status === 503) return false;
  if (answer.status === 200) {
    const signature = signatureIn(answer.body.activity.result);
    if (sent.released !== undefined && sent.released !== signature) others.push(`${sent.fingerprint} got two signatures`);
    if (sent.denied) others.push(`${sent.fingerprint} was denied and then released`);
    sent.released = signature;
    return true;
  }
  if (answer.status === 403) {
    if (sent.released !== undefined) others.push(`${sent.fingerprint} was released and then denied`);
    sent.denied = true;
    return true;
  }
  others.push(`${sent.fingerprint} was answered with ${answer.status}: ${JSON.stringify(answer.body).slice(0, 300)}`);
  return true;
}

async function untilAnswered(sent: Sent, send: (sent: Sent) => Promise<boolean>, { others }: LimitViolations): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(100)) if (await send(sent)) return;
  others.push(`${sent.fingerprint} got no answer within a minute`);
}

/** The signed transaction, wherever the result holds it. */
export function signatureIn(result: Json): string {
  return /"signedTransaction":"([0-9a-fx]+)"/.exec(JSON.stringify(result))?.[1] ?? '';
}

async function reset(pair: Pair, { root }: Limited, velocityControlId: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(100)) {
    const url = pair.url();
    if (url === undefined) continue;
    const answer = await root
      .with({ url })
      .submit('resetVelocityControl', { velocityControlId })
      .catch(() => undefined);
    if (answer?.status === 200) return;
  }
  throw new Error('the limit could not be reset');
}

/** The transfers of an organization as the database holds them, by fingerprint. */
export async function storedSpends(raw: RawDatabase, organizationId: string): Promise<ReadonlyMap<string, StoredSpend>> {
  const sql =
    "SELECT id, fingerprint, status, body, packed FROM activities WHERE organization_id = ? AND type LIKE '%SIGN_TRANSACTION%'";
  const rows = await raw.all(sql, organizationId);
  return new Map(
    rows.map((row) => {
      const { id, fingerprint, status } = row;
      const signature = signatureIn(JSON.parse(bodyOf(row)).result);
      return [String(fingerprint), { id: String(id), status: String(status), ...(signature !== '' && { signature }) }];
    }),
  );
}

/** A table with one row for each store. */
export function renderLimits(reports: readonly (readonly [string, LimitsReport])[]): string {
  const columns = [
    'store',
    'rounds',
    'kills',
    'restarts',
    'clock steps',
    'requests',
    'released',
    'denied',
    'unanswered at first',
  ];
  const zeros = ['overshoot', 'undercount', 'acknowledged lost', 'other faults'];
  const rows = reports.map(([store, { violations, ...report }]) => {
    const { rounds, kills, restarts, clockSteps, requests, released, denied, unanswered } = report;
    const { overshoot, undercount, acknowledgedLost, others } = violations;
    const done = [store, rounds, kills, restarts, clockSteps, requests, released, denied, unanswered];
    return [...done, ...[overshoot, undercount, acknowledgedLost, others].map(({ length }) => length)].map(String);
  });
  const all = [[...columns, ...zeros], ...rows];
  const widths = (all[0] as string[]).map((_, column) => Math.max(...all.map((row) => (row[column] as string).length)));
  const lines = all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join('  ')
      .trimEnd(),
  );
  const cases = reports.flatMap(([store, { violations }]) =>
    Object.entries(violations).flatMap(([kind, found]) => found.slice(0, 10).map((one: string) => `${store}: ${kind}: ${one}`)),
  );
  return [...lines, ...cases].join('\n');
}
