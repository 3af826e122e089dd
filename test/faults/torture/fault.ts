import type { Engine } from '../../support/installation.ts';

/** One way in which a service can be hurt, and how often. */
export interface Fault {
  /** As `--only` names it. */
  readonly name: string;
  /** What is done, for the table. */
  readonly title: string;
  readonly stores: readonly Engine[];
  /** Rounds of a whole run, where nobody says otherwise. */
  readonly rounds: number;
  /** Why it cannot run on this machine; undefined if it can. */
  readonly missing?: () => string | undefined;
  run(stage: Stage): Promise<Findings>;
}

/** Where and how often a fault is caused. */
export interface Stage {
  readonly engine: Engine;
  readonly rounds: number;
  /** Shorter outages, for a test. */
  readonly brief?: boolean;
  readonly onRound?: (round: number) => void;
}

/** What must be empty after every run. */
export interface Broken {
  /** Acknowledged, and not there. */
  readonly lost: string[];
  /** Carried out, or answered, in two ways. */
  readonly twice: string[];
  /** Acknowledged before another was sent, and behind it in the log. */
  readonly order: string[];
  /** Released above a limit, or released and not counted. */
  readonly limits: string[];
  readonly others: string[];
}

/** How a round went, in milliseconds. Undefined where it did not happen. */
export interface Times {
  /** From the fault to the first request that was refused or got no answer. */
  readonly firstRefusalMs?: number;
  /** The longest time without an acknowledged request, from before the fault until after it. */
  readonly withoutServiceMs?: number;
  /** From the moment that the cause was gone to the first acknowledged request. */
  readonly recoveryMs?: number;
}

export interface Findings {
  readonly rounds: number;
  readonly bodies: number;
  readonly acknowledged: number;
  readonly broken: Broken;
  readonly times: readonly Times[];
  /** What else a reader should know: counts, refusals, memory. */
  readonly notes: readonly string[];
}

export const nothingBroken = (): Broken => ({ lost: [], twice: [], order: [], limits: [], others: [] });

/** Whether nothing was lost, done twice, out of order, above a limit or otherwise wrong. */
export function isSound({ broken }: Findings): boolean {
  return Object.values(broken).every((cases) => cases.length === 0);
}
