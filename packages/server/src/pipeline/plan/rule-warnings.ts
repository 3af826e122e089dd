import { ServiceError } from '@countersign/contract';
import type { EndSlice } from '../../admission/index.ts';
import { lookAlikeContacts } from '../../organizations/look-alike-contacts.ts';
import { afterChange, type ContextChange, type RuleChange } from '../../organizations/rule-change.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { worstCases } from '../../organizations/worst-cases.ts';
import { worstCasesOfContext } from '../../organizations/worst-cases-of-context.ts';
import type { PipelineServices } from '../services.ts';

/** Number of newest activities to test a change on if the submitter asks for it. */
const TRIED = 1000;

type BacktestServices = Pick<PipelineServices, 'policies'>;

/** A change that is submitted. */
interface SubmittedChange<Change> {
  readonly organization: Snapshot;
  readonly change: Change;
  readonly nowMs: number;
  readonly endSlice: EndSlice;
}

/**
 * Warnings for the approvers of a change: how it would have affected past requests, and what the rules then allow at worst.
 * SECURITY: D148: the service writes the text, and it is stored with the activity. A submitter cannot influence it.
 */
export async function ruleWarnings(
  services: BacktestServices,
  submitted: SubmittedChange<RuleChange> & {
    /** Whether the submitter asked for a backtest on many activities. */
    readonly isLong: boolean;
  },
): Promise<readonly string[]> {
  const { organization, change, isLong, nowMs, endSlice } = submitted;
  const after = await afterChange(organization, change, nowMs, endSlice);
  const long = isLong ? await longSummary(services, organization, after, endSlice) : undefined;
  const summary =
    long?.isDone === true
      ? `BACKTEST: ${long.text}`
      : `BACKTEST: ${long === undefined ? '' : `${long.text} In a sample, `}${await sample(services, organization, after, endSlice)}`;
  return [summary, ...(await worstCases(organization, after, change, nowMs, endSlice))];
}

/** The same for a change of the people, contacts and tokens that policies rest on. */
export async function contextWarnings(
  services: BacktestServices,
  { organization, change, nowMs, endSlice }: SubmittedChange<ContextChange>,
): Promise<readonly string[]> {
  const after = await afterChange(organization, change, nowMs, endSlice);
  const summary = `BACKTEST: ${await sample(services, organization, after, endSlice)}`;
  const alike = await lookAlikeContacts(organization.records.contact, change, endSlice);
  return [summary, ...alike, ...(await worstCasesOfContext(organization, after, change, { nowMs, endSlice }))];
}

async function longSummary(
  { policies: { backtest } }: BacktestServices,
  organization: Snapshot,
  after: Snapshot,
  endSlice: EndSlice,
): Promise<{ readonly isDone: boolean; readonly text: string }> {
  const rules = { policies: after.policies, controls: after.records.velocityControl };
  try {
    const { report, total = 0 } = await backtest.run({ organization, rules, range: { last: TRIED }, limit: TRIED, endSlice });
    const part = report.read < total ? ` (the oldest ${report.read} of them, because so many outcomes change)` : '';
    return { isDone: true, text: `${report.summary}${part}` };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { isDone: false, text: `not done: ${error.message}` };
  }
}

async function sample(
  { policies: { backtest } }: BacktestServices,
  organization: Snapshot,
  after: Snapshot,
  endSlice: EndSlice,
): Promise<string> {
  try {
    const { read, judged, summary } = await backtest.sample({ organization, after, endSlice });
    return judged === 0 ? 'no recent activity could be judged again' : `${summary} (${sampleWords(read)})`;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `not done: ${error.message}`;
  }
}

function sampleWords(read: number): string {
  const which = read === 1 ? 'the newest activity' : `${read} of the newest activities`;
  return `a sample: ${which}, with the users, keys and contacts at submission, and limits that begin with nothing`;
}
