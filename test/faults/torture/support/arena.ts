import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../../support/caller.ts';
import { Checker } from '../../fault/support/checker.ts';
import type { CommandProcess } from '../../fault/support/command-process.ts';
import type { Draft } from '../../fault/support/history.ts';
import { type Load, startLoad } from '../../fault/support/load.ts';
import { checkLog } from '../../fault/support/log-check.ts';
import { type Place, rootOf, startServing } from '../../fault/support/serving.ts';
import { waitUntil } from '../../fault/support/wait-until.ts';
import { Workload } from '../../fault/support/workload.ts';
import { type Findings, nothingBroken, type Times } from '../fault.ts';
import { checkOrder, placesOf } from './order.ts';
import { freePort, tortureFlags } from './places.ts';
import { Spending } from './spending.ts';
import { isServed, TimedHistory } from './timed-history.ts';
import { timesOf } from './times.ts';

export interface ArenaOptions {
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** What a round does to a service under load. */
export interface Injection {
  begin(): Promise<void>;
  /** How long the load goes on before the cause goes away. */
  readonly lastsMs: number;
  /** Resolves when the cause is gone. Whether the service works then is for the clients to see. */
  end(): Promise<void>;
}

/** One in so many requests spends under a limit. */
const SPENDING = 6;
/** The longest calm before a fault. */
const CALM_MS = 700;
/** The load after a recovery. */
const AFTER_MS = 300;
const RECOVERY_MS = 60_000;

/** A service with clients, everything that they saw, and what to compare it with. */
export class Arena {
  readonly history = new TimedHistory();
  readonly place: Place;
  readonly port: number;
  /** Where clients send their requests. */
  readonly url: string;
  readonly times: Times[] = [];
  readonly notes: string[] = [];
  readonly broken = nothingBroken();
  readonly #options: ArenaOptions;
  #process: CommandProcess | undefined;
  #workload: Workload | undefined;
  #spending: Spending | undefined;
  #checker: Checker | undefined;
  #rounds = 0;

  private constructor(place: Place, url: string, port: number, options: ArenaOptions) {
    this.place = place;
    this.port = port;
    this.url = url;
    this.#options = options;
  }

  /** Starts the service and creates the organizations of the load. */
  static async open(place: Place, options: ArenaOptions = {}): Promise<Arena> {
    const port = await freePort();
    const arena = new Arena(place, `http://127.0.0.1:${port}`, port, options);
    arena.launch();
    try {
      await arena.ready();
      await arena.#populate();
      return arena;
    } catch (error) {
      await arena.close();
      throw error;
    }
  }

  /** For services that somebody else has started. */
  static async behind(place: Place, url: string): Promise<Arena> {
    const arena = new Arena(place, url, 0, {});
    await arena.#populate();
    return arena;
  }

  /** Creates the organizations of the load, and begins to keep its history. */
  async #populate(): Promise<void> {
    const root = this.root();
    this.#workload = await Workload.create(root);
    this.#spending = await Spending.create(root);
    this.#checker = await Checker.create(this.history, this.place);
  }

  /** The root user of the first organization. */
  root(): Caller {
    return rootOf(this.place, this.url);
  }

  /** The process of the service. */
  get process(): CommandProcess {
    if (this.#process === undefined) throw new Error('the service was not started');
    return this.#process;
  }

  /** Starts the service on its port, and does not wait for it. */
  launch(): void {
    const flags = ['--port', String(this.port), ...tortureFlags, ...(this.#options.flags ?? [])];
    const { environment } = this.#options;
    this.#process = startServing(this.place, flags, environment === undefined ? {} : { environment });
  }

  async ready(): Promise<void> {
    await this.process.firstLine();
  }

  startLoad(clients?: number): Load {
    const [workload, spending] = [this.#workload as Workload, this.#spending as Spending];
    const draw = (): Draft => (Math.random() * SPENDING < 1 ? spending.draw() : workload.draw());
    return startLoad(this.history, { draw, approvalOf: (attempt) => workload.approvalOf(attempt) }, this.url, clients);
  }

  /** A signature, and nothing else. */
  signing(): Draft {
    return (this.#workload as Workload).signature();
  }

  /** Causes a fault under load, waits until requests are served again, and checks everything. */
  async round(injection: Injection): Promise<void> {
    const first = this.history.sightings.length;
    const seen = () => this.history.sightings.slice(first);
    const load = this.startLoad();
    await sleep(CALM_MS / 2 + (Math.random() * CALM_MS) / 2);
    const beganMs = performance.now();
    await injection.begin();
    await sleep(injection.lastsMs);
    await injection.end();
    const goneMs = performance.now();
    const isBack = () => seen().some(({ status, endMs }) => isServed(status) && endMs >= goneMs);
    if (!(await waitUntil(RECOVERY_MS, isBack)))
      this.broken.others.push(`no request was served within a minute after the fault. ${this.process.stderr().slice(-500)}`);
    await sleep(AFTER_MS);
    await load.stop();
    this.times.push(timesOf(seen(), beganMs, goneMs));
    await this.check();
  }

  /** Compares the history with the service and its database. No load may run. */
  async check(): Promise<void> {
    await this.#checker?.check(this.url);
    this.#rounds += 1;
  }

  /** Compares the history with the database alone. */
  async checkStored(): Promise<void> {
    await this.#checker?.checkStored();
    this.#rounds += 1;
  }

  /** The last checks: the whole log, the order in it, and the limits. */
  async findings(): Promise<Findings> {
    const { history, place, url, times, notes, broken } = this;
    const raw = await place.raw();
    const log = await checkLog(url, this.root(), raw, history.attempts);
    const limits = await (this.#spending as Spending).check(history.attempts, raw);
    const { lostAcks, doubleExecutions, illegalTransitions, others } = history.violations;
    broken.lost.push(...lostAcks, ...limits.acknowledgedLost);
    broken.twice.push(...doubleExecutions, ...log.doubles);
    broken.order.push(...checkOrder(await placesOf(history.attempts, history, raw)));
    broken.limits.push(...limits.overshoot, ...limits.undercount);
    broken.others.push(...others, ...illegalTransitions, ...log.holes, ...log.unlogged, ...log.invalid, ...limits.others);
    const bodies = history.attempts.length;
    return { rounds: this.#rounds, bodies, acknowledged: history.acknowledgedMs.size, broken, times, notes };
  }

  async close(): Promise<void> {
    await this.#process?.kill();
  }
}
