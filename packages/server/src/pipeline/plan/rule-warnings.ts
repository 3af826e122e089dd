import { ServiceError } from '@countersign/contract';
import type { EndSlice } from '../../admission/index.ts';
import type { RuleSet } from '../../backtest/backtest-types.ts';
import { changedControls, type RuleChange } from '../../organizations/rule-change.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { worstCases } from '../../organizations/worst-cases.ts';
import type { PipelineServices } from '../services.ts';

/** Number of newest activities to test a change on if the submitter asks for it. */
const TRIED = 1000;

type BacktestServices = Pick<PipelineServices, 'policies'>;

/** A change of policies or limits that is submitted. */
export interface SubmittedChange {
  readonly organization: Snapshot;
  readonly change: RuleChange;
  /** Whether the submitter asked for a backtest on many activities. */
  readonly isLong: boolean;
  readonly nowMs: number;
  readonly endSlice: EndSlice;
}

/**
 * Warnings for the approvers of a change: how it would have affected past requests, and what the rules then allow at worst.
 * SECURITY: D148: the service writes the text, and it is stored with the activity. A submitter cannot influence it.
 */
export async function ruleWarnings(services: BacktestServices, submitted: SubmittedChange): Promise<readonly string[]> {
  const { organization, change, nowMs, endSlice } = submitted;
  const summary = await backtestSummary(services, submitted);
  return [summary, ...(await worstCases(organization, change, nowMs, endSlice))];
}

async function backtestSummary(
  { policies: { backtest } }: BacktestServices,
  { organization, change, isLong, nowMs, endSlice }: SubmittedChange,
): Promise<string> {
  const rules = changedRules(organization, change, nowMs);
  const long = isLong ? await longSummary() : undefined;
  if (long?.isDone === true) return long.text;
  const { read, judged, summary } = await backtest.sample({ organization, rules, endSlice });
  const text = judged === 0 ? 'no recent activity could be judged again' : `${summary} (${sampleWords(read)})`;
  return `BACKTEST: ${long === undefined ? '' : `${long.text} In a sample, `}${text}`;

  async function longSummary() {
    try {
      const { report, total = 0 } = await backtest.run({ organization, rules, range: { last: TRIED }, limit: TRIED, endSlice });
      const part = report.read < total ? ` (the oldest ${report.read} of them, because so many outcomes change)` : '';
      return { isDone: true, text: `BACKTEST: ${report.summary}${part}` };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { isDone: false, text: `not done: ${error.message}` };
    }
  }
}

function sampleWords(read: number): string {
  const which = read === 1 ? 'the newest activity' : `${read} of the newest activities`;
  return `a sample: ${which}, with the users, keys and contacts at submission, and limits that begin with nothing`;
}

/** The policies and limits after a change. Derived from those of the organization, so that only changed policies are compiled. */
function changedRules(organization: Snapshot, change: RuleChange, nowMs: number): RuleSet {
  let { policies } = organization;
  for (const [id, content] of change.policies ?? []) {
    const createdAtMs = policies.get(id)?.createdAtMs ?? nowMs;
    policies = content === undefined ? policies.without(id) : policies.with(id, { ...content, createdAtMs, updatedAtMs: nowMs });
  }
  return { policies, controls: changedControls(organization, change) };
}
