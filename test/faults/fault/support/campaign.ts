import { setTimeout as sleep } from 'node:timers/promises';
import { Checker, type Resolved } from './checker.ts';
import { childrenOf, exists } from './command-process.ts';
import { History, type Violations } from './history.ts';
import { startLoad } from './load.ts';
import { checkLog, type LogCheck } from './log-check.ts';
import { type Place, type Serving, serve, startServing } from './serving.ts';
import { Told } from './told.ts';
import { waitUntil } from './wait-until.ts';
import { oneOf, roomyFlags, Workload } from './workload.ts';

/** What is killed: the server (with its workers, if any) or one of its workers. */
export type Victim = 'server' | 'worker';

export interface CampaignOptions {
  readonly place: Place;
  readonly kills: number;
  readonly workers?: number;
  /** The server, unless named. Of several, one after the other. */
  readonly victims?: readonly Victim[];
  /** The signal: SIGTERM lets the victim drain. */
  readonly signal?: 'SIGKILL' | 'SIGTERM';
  /** The longest time that a load runs before the kill. Each body is asked for twice afterwards. */
  readonly loadMs?: number;
  /** No kill starts after this many seconds. */
  readonly secondsMax?: number;
  /** At the end, every activity of the campaign is read once more. */
  readonly thorough?: boolean;
  /** A webhook receiver must get everything. */
  readonly told?: boolean;
  readonly historyFile?: string;
  readonly onKill?: (kills: number) => void;
}

/** What a campaign did and what it found. */
export interface CampaignReport {
  readonly kills: number;
  /** How many of the kills hit a server that was still starting. */
  readonly killsWhileStarting: number;
  readonly bodies: number;
  readonly repeats: number;
  readonly outcomes: Readonly<Record<string, number>>;
  /** The fate of requests without an answer. */
  readonly unknown: Resolved;
  readonly violations: Violations;
  /** The log at the end. */
  readonly log: LogCheck;
}

/** The longest time that a load runs before the kill, unless named. */
const LOAD_MS = 900;
/** The longest time before a start is killed: about as long as a start takes. */
const START_MS = 1_500;
/** Workers of a dead primary must end by themselves within this time. */
const ORPHAN_MS = 60_000;

/** Kills, restarts and checks, as often as requested, with the checks of `Checker`. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const { place, kills, workers = 1, victims = ['server'], signal = 'SIGKILL', loadMs = LOAD_MS } = options;
  const { secondsMax = Number.POSITIVE_INFINITY } = options;
  const told = options.told === true ? await Told.start() : undefined;
  const flags = ['--workers', String(workers), ...roomyFlags, ...(told?.flags ?? [])];
  const history = new History(options.historyFile);
  const startedMs = performance.now();
  let serving = await serve(place, flags);
  await told?.listen(serving.root);
  const workload = await Workload.create(serving.root);
  const checker = await Checker.create(history, place);
  let done = 0;
  let killsWhileStarting = 0;
  let log: LogCheck;

  async function killUnderLoad(): Promise<void> {
    const load = startLoad(history, workload, serving.url);
    await sleep(50 + Math.random() * loadMs);
    if (victims[done % victims.length] === 'worker') {
      process.kill(oneOf(childrenOf(serving.pid)), signal);
      await sleep(Math.random() * loadMs);
      await load.stop();
      if (!(await waitUntil(ORPHAN_MS, () => childrenOf(serving.pid).length === workers && answers(serving))))
        history.violations.others.push('a worker that was killed is not replaced');
      return;
    }
    const orphans = childrenOf(serving.pid);
    const stopped = load.stop();
    serving.signal(signal);
    const { code, stderr } = await serving.ended;
    if (signal === 'SIGTERM' && code !== 0) history.violations.others.push(`SIGTERM ended it with ${code}: ${stderr}`);
    await stopped;
    if (!(await waitUntil(ORPHAN_MS, () => !orphans.some(exists))))
      history.violations.others.push('workers outlive their primary');
    serving = await start();
  }

  /** One start in four is killed and repeated. */
  async function start(): Promise<Serving> {
    if (signal === 'SIGKILL' && done + 1 < kills && Math.random() < 0.25) {
      const starting = startServing(place, flags);
      await sleep(Math.random() * START_MS);
      await starting.kill();
      done += 1;
      killsWhileStarting += 1;
    }
    return serve(place, flags);
  }

  try {
    while (done < kills && performance.now() - startedMs < secondsMax * 1000) {
      await killUnderLoad();
      done += 1;
      await checker.check(serving.url);
      options.onKill?.(done);
    }
    if (options.thorough === true) await checker.checkAll(serving.url);
    await told?.check(history, place);
    log = await checkLog(serving.url, serving.root, await place.raw(), history.attempts);
    history.violations.others.push(...log.holes, ...log.doubles, ...log.invalid, ...log.unlogged);
  } finally {
    await serving.kill();
    await told?.close();
  }
  const outcomes: Record<string, number> = {};
  for (const { outcome, errorCode } of history.attempts) {
    const name = outcome === 'refused' ? `refused as ${errorCode}` : outcome;
    outcomes[name] = (outcomes[name] ?? 0) + 1;
  }
  const { repeats, violations } = history;
  return {
    kills: done,
    killsWhileStarting,
    bodies: history.attempts.length,
    repeats,
    outcomes,
    unknown: checker.resolved,
    violations,
    log,
  };
}

async function answers({ root }: Serving): Promise<boolean> {
  return root.query('whoami').then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** A readable report: one line with what was done, then the counts that must be zero, with every case. */
export function renderReport(title: string, report: CampaignReport): string {
  const { kills, killsWhileStarting, bodies, repeats, outcomes, unknown, violations, log } = report;
  const ended = Object.entries(outcomes).map(([outcome, number]) => `${number} ${outcome}`);
  const lines = [
    `${title}: ${kills} kills (${killsWhileStarting} while starting), ${bodies} bodies (${repeats} sent again meanwhile): ${ended.join(', ')}`,
    `  without an answer at first: ${unknown.done + unknown.absent} (${unknown.done} had been carried out, ${unknown.absent} had not)`,
    ...zero('lost acks', violations.lostAcks),
    ...zero('double executions', violations.doubleExecutions),
    ...zero('illegal transitions', violations.illegalTransitions),
    `  log: ${log.leaves} leaves, holes = ${log.holes.length}, duplicates = ${log.doubles.length}, invalid = ${log.invalid.length}, unlogged = ${log.unlogged.length}`,
    ...zero('other faults', violations.others),
  ];
  return lines.join('\n');
}

function zero(what: string, cases: readonly string[]): string[] {
  return [`  ${what} = ${cases.length}`, ...cases.slice(0, 20).map((one) => `    ${one}`)];
}
