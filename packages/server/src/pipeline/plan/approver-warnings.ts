import { type ActivityDefinition, ServiceError } from '@countersign/contract';
import type { PolicyRecord } from '@countersign/judgement';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { Awaitable } from '../../wire/awaitable.ts';
import { executorOf, type PipelineServices } from '../services.ts';

const none: readonly string[] = [];

/** How many of the newest activities a change of policies is tried on. */
const TRIED = 1000;

/**
 * What approvers should know of a request, before it is judged.
 * SECURITY: D148: the service writes the text, and it is kept with the activity. Nobody who submits a policy can word it.
 */
export function notesOn(
  services: PipelineServices,
  definition: ActivityDefinition,
  params: unknown,
  organization: Snapshot,
): Awaitable<readonly string[]> {
  const { notes } = executorOf(services, definition);
  if (notes === undefined) return none;
  const context = {
    organization,
    backtest: (policies: ReadonlyMap<string, PolicyRecord>) => summaryOf(services, organization, policies),
    nowMs: services.clock.nowMs(),
  };
  return notes(context, params as never).catch((error: unknown) => {
    // What is wrong with the request, its plan tells. A repetition of a request that was carried out must get its answer.
    if (error instanceof ServiceError) return [];
    throw error;
  });
}

async function summaryOf(
  { backtest }: PipelineServices,
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
