import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../../../support/installation.ts';
import { type Ending, startCommand } from '../command-process.ts';
import { environmentFor, wordsFor } from '../serving.ts';
import { type Call, type CallFailure, type CallFaults, createCallFaults } from './call-fault.ts';
import { type PhaseCommand, type Prepared, phaseCommands, type Run } from './commands.ts';
import { filesOf, violationsOf } from './expected.ts';
import { copyPlace, createPhasePlace, type PhasePlace } from './places.ts';

export type PhaseCommandName = keyof typeof phaseCommands;

export interface PhaseCampaign {
  readonly engine: Engine;
  readonly command: PhaseCommandName;
  /** How many calls the process is killed at. The calls are spread over the whole command. */
  readonly points: number;
  /** A PostgreSQL server. Absent: that of the test run. */
  readonly server?: string;
  onKill?(where: string): void;
}

/** Where a process was killed. */
interface Point {
  readonly call: Call;
  readonly how: Extract<CallFailure, `kill-${string}`>;
}

export interface PhaseReport {
  /** Calls of the command that change files, or messages to the database server. */
  readonly calls: number;
  readonly kills: number;
  /** Runs that ended before the call was reached. */
  readonly notReached: number;
  readonly violations: readonly string[];
}

/** Kills a command at many of its calls, each time on a copy of the same place, and checks that the advised repair works. */
export async function runPhases(campaign: PhaseCampaign): Promise<PhaseReport> {
  const command: PhaseCommand = phaseCommands[campaign.command];
  const faults = createCallFaults();
  const made: PhasePlace[] = [];
  const create = async () => {
    const place = await createPhasePlace(campaign.engine, campaign.server);
    made.push(place);
    return place;
  };
  try {
    const prepared = await command.prepare(create);
    if (!made.includes(prepared.place)) made.push(prepared.place);
    const { calls, files } = await reference(command, prepared, faults);
    const report = { calls: calls.length, kills: 0, notReached: 0, violations: [] as string[] };
    for (const point of pointsOf(calls, campaign.points)) {
      const where = `${point.how} ${point.call.kind} ${point.call.number}`;
      campaign.onKill?.(where);
      const { signal, violations } = await killAt(command, prepared, faults, point, files);
      if (signal === 'SIGKILL') report.kills++;
      else report.notReached++;
      report.violations.push(...violations.map((violation) => `${where} (${point.call.target}): ${violation}`));
    }
    return report;
  } finally {
    for (const place of made) await place.remove();
    faults.remove();
  }
}

/** Runs the command without a kill. Returns its calls, and the files that it leaves. */
async function reference(command: PhaseCommand, { place: original, expected }: Prepared, faults: CallFaults) {
  const place = await copyPlace(original);
  try {
    const { environment, calls } = faults.list(watched(place));
    const { code, stderr } = await runOn(place, command, environment)(...command.words(place));
    if (code !== 0) throw new Error(`the command fails without a kill: ${stderr}`);
    const violations = await violationsOf(place, expected);
    if (violations.length > 0) throw new Error(`the command harms without a kill: ${violations.join('\n')}`);
    return { calls: calls(), files: filesOf(place) };
  } finally {
    await place.remove();
  }
}

async function killAt(
  command: PhaseCommand,
  { place: original, expected }: Prepared,
  faults: CallFaults,
  { call, how }: Point,
  files: readonly string[],
): Promise<{ readonly signal: NodeJS.Signals | null; readonly violations: readonly string[] }> {
  const place = await copyPlace(original);
  try {
    const { signal } = await runOn(place, command, faults.fail(watched(place), call, how))(...command.words(place));
    try {
      await command.repair(place, runWhenFree(place, command));
      const violations = await violationsOf(place, expected);
      // Lock files are empty and stay, like that of the database.
      const left = filesOf(place).filter((name) => !files.includes(name) && !name.endsWith('.lock'));
      return { signal, violations: [...violations, ...left.map((name) => `${name} is left`)] };
    } catch (error) {
      return { signal, violations: [String((error as Error).stack ?? error)] };
    }
  } finally {
    await place.remove();
  }
}

const watched = ({ home, databaseUrl }: PhasePlace) => ({ directory: `${home}/`, databaseUrl });

function runOn(place: PhasePlace, { serves }: PhaseCommand, environment: Readonly<Record<string, string>> = {}): Run {
  return async (...words) => {
    const all = { ...environmentFor(place), ...environment };
    const started = startCommand([...words, ...wordsFor(place)], { environment: all });
    // Rejects if the process ends before, which `ended` reports.
    if (serves)
      await started.firstLine().then(
        () => started.signal('SIGTERM'),
        () => undefined,
      );
    return started.ended;
  };
}

/** PostgreSQL may take a moment to notice that the killed process is gone, and to release its lock. */
function runWhenFree(place: PhasePlace, command: PhaseCommand): Run {
  const run = runOn(place, command);
  return async (...words) => {
    let ending: Ending;
    for (let attempts = 0; ; attempts++) {
      ending = await run(...words);
      if (attempts >= 20 || ending.code === 0 || !ending.stderr.includes('is using')) return ending;
      await sleep(500);
    }
  };
}

/** Calls whose place in a command is decisive. Others are many, and similar. */
const isDecisive = ({ kind }: Call) => kind !== 'write' && kind !== 'message';

/** Points over the whole command: two thirds before and after decisive calls, the others before writes and messages. */
export function pointsOf(calls: readonly Call[], count: number): readonly Point[] {
  const decisive = calls.filter(isDecisive).flatMap((call): Point[] => [
    { call, how: 'kill-before' },
    { call, how: 'kill-after' },
  ]);
  const others = calls.filter((call) => !isDecisive(call)).map((call): Point => ({ call, how: 'kill-before' }));
  const fromOthers = Math.min(others.length, Math.max(Math.floor(count / 3), count - decisive.length));
  return [...spread(decisive, count - fromOthers), ...spread(others, fromOthers)];
}

/** At most `count` items: the first, the last, and evenly between them. */
function spread<T>(items: readonly T[], count: number): readonly T[] {
  if (items.length <= count) return items;
  const at = (index: number) => Math.round((index * (items.length - 1)) / Math.max(1, count - 1));
  return Array.from({ length: count }, (_, index) => items[at(index)] as T);
}
