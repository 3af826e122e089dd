import { ServiceError } from '@countersign/contract';
import { type Decision, type Explanation, shortenDecision } from '@countersign/policy';
import { type EndSlice, inSlices } from '../admission/index.ts';
import type { ActivityRecord, DecisionRecord } from '../organizations/activities/activity-record.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import type { BacktestServices, Explanations } from './backtest-types.ts';
import type { HistoryCache } from './history-cache.ts';
import { HistoryCursor, PastKeys } from './history-cursor.ts';
import { decideAgain, isReproduced, type PastDecision, type PastView, pastCase } from './past-case.ts';
import type { Slots } from './slots.ts';

/** SECURITY: D351: an activity can have a decision for each user. Earlier decisions show outcome and values. */
const MAX_EXPLAINED = 8;
/** The most policies of an allowed activity that are explained. */
const MAX_POLICIES = 200;

type Explained = readonly [voteId: string, explanation: Explanation];

/**
 * Explains stored decisions by making them again: from the present organization if it has not changed since, otherwise from its history.
 * A decision that cannot be made again, or not with the same outcome, has no explanation.
 */
export function createExplanations(
  services: BacktestServices,
  { histories, slots }: { histories: HistoryCache; slots: Slots },
): Explanations {
  const { authorize, resources, clock } = services;

  return {
    async explain(organization, record, endSlice) {
      const decisions = record.judgedBy === undefined ? explainable(record).slice(-MAX_EXPLAINED) : [];
      if (decisions.length === 0) return new Map();
      const keys = new PastKeys(resources, organization);
      const explained = await explainAll(decisions, keys, endSlice, (decision) =>
        decision.stored.head === organization.version ? present(organization) : undefined,
      );
      const left = decisions.filter(({ stored }) => !explained.some(([voteId]) => voteId === stored.voteId));
      return new Map([...explained, ...(left.length === 0 ? [] : await fromHistory(organization, left, keys, endSlice))]);
    },
  };

  /** Empty if too many histories are being read. The stored decision still has its outcome and values. */
  async function fromHistory(organization: Snapshot, decisions: readonly PastDecision[], keys: PastKeys, endSlice: EndSlice) {
    try {
      return await slots.run(organization.id, async () => {
        const history = await histories.read(organization, clock.nowMs());
        const cursor = new HistoryCursor(history);
        return explainAll(decisions, keys, endSlice, ({ timestamp }) =>
          timestamp.atMs < history.knownSinceMs ? undefined : cursor.at(timestamp),
        );
      });
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'RATE_LIMIT_EXCEEDED') return [];
      throw error;
    }
  }

  async function explainAll(
    decisions: readonly PastDecision[],
    keys: PastKeys,
    endSlice: EndSlice,
    viewOf: (decision: PastDecision) => PastView | undefined,
  ): Promise<readonly Explained[]> {
    const explained: Explained[] = [];
    for (const decision of decisions) {
      const view = viewOf(decision);
      const one = view && (await pastCase(decision, view, keys));
      if (one === undefined) continue;
      const again = await decideAgain(authorize, one.judgement, endSlice);
      if (!isReproduced(one, again)) continue;
      const asked = again.evaluations.map(({ policyId }) => policyId);
      const isAllowed = again.outcome === 'ALLOW';
      const steps = authorize.explainInSteps(one.judgement, isAllowed ? asked.slice(0, MAX_POLICIES) : undefined);
      const explanation = await inSlices(steps, endSlice);
      explained.push([decision.stored.voteId, isAllowed ? explanation : relevant(explanation, again, asked)]);
    }
    return explained;
  }
}

/** The decisions without a stored explanation. A user made a rejection, and an ALLOW without policies explains itself. */
function explainable(record: ActivityRecord): PastDecision[] {
  return record.decisions.flatMap((stored) => {
    const cast = record.votes.findIndex(({ id }) => id === stored.voteId);
    if (cast < 0 || stored.explanation !== undefined || !isExplainable(stored)) return [];
    const timestamp = { atMs: stored.createdAtMs, voteId: stored.voteId };
    return [{ record, stored, votes: record.votes.slice(0, cast + 1), timestamp }];
  });
}

function isExplainable({ by, outcome, evaluations }: DecisionRecord): boolean {
  return by !== 'REJECTION' && (outcome !== 'ALLOW' || evaluations.length > 0);
}

/** The present organization as a past one. Its keys are read when needed. */
function present(organization: Snapshot): PastView {
  return { organization: () => organization, key: nothing, wallet: nothing, secret: nothing, signingKey: nothing };
}

function nothing(): undefined {
  return undefined;
}

/** Maximum number of policies in an explanation that were not evaluated. */
const MAX_NEAR = 10;

/** Reduces an explanation to the evaluated policies and some that would have allowed the activity. */
function relevant(explanation: Explanation, decision: Decision, asked: readonly string[]): Explanation {
  const shown = new Set(asked);
  const near = explanation.policies
    .filter(({ effect, error }) => effect === 'EFFECT_ALLOW' && error?.code !== 'NAMESPACE_ABSENT')
    .filter(({ policyId }) => !shown.has(policyId));
  for (const { policyId } of near.slice(0, MAX_NEAR)) shown.add(policyId);
  return {
    ...explanation,
    decision: shortenDecision(decision),
    policies: explanation.policies.filter(({ policyId }) => shown.has(policyId)),
  };
}
