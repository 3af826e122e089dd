import { type ActivityDefinition, ServiceError } from '@countersign/contract';
import type { PolicyRecord } from '@countersign/judgement';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { executorOf, type PipelineServices } from '../services.ts';

/** Number of newest activities to test a policy change on. */
const TRIED = 1000;

/**
 * Warnings for the approvers of a request.
 * SECURITY: D148: the service writes the text, and it is stored with the activity. A submitter cannot influence it.
 */
export async function warningsFor(
  services: PipelineServices,
  definition: ActivityDefinition,
  params: unknown,
  organization: Snapshot,
): Promise<readonly string[]> {
  const { notes } = executorOf(services, definition);
  if (notes === undefined) return [];
  const context = {
    organization,
    backtest: (policies: ReadonlyMap<string, PolicyRecord>) => summaryOf(services, organization, policies),
    nowMs: services.clock.nowMs(),
  };
  try {
    return await notes(context, params as never);
  } catch (error) {
    // The plan reports errors in the request, and a replay of an executed request must get its response.
    if (error instanceof ServiceError) return [];
    throw error;
  }
}

async function summaryOf(
  { policies: { backtest } }: Pick<PipelineServices, 'policies'>,
  organization: Snapshot,
  policies: ReadonlyMap<string, PolicyRecord>,
): Promise<string> {
  const rules = { policies, controls: organization.records.velocityControl };
  try {
    const { report, total = 0 } = await backtest.run({ organization, rules, range: { last: TRIED }, limit: TRIED });
    const part = report.read < total ? ` (the oldest ${report.read} of them, because so many outcomes change)` : '';
    return `BACKTEST: ${report.summary}${part}`;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `BACKTEST: not done: ${error.message}`;
  }
}
