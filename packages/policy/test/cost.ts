import { compilePolicies, type DecisionRequest, decide, type PolicySet, type PolicySource } from '../src/index.ts';
import { toRequest } from './support/decisions.ts';

/** One line of the measurement. */
export interface PolicyCost {
  readonly policies: number;
  /** The form of the policies, which determines how the index can use them. */
  readonly kind: string;
  /** The number of policies that a decision evaluates. */
  readonly asked: number;
  readonly decisionsPerSecond: number;
  readonly microsecondsPerDecision: number;
  readonly compileMilliseconds: number;
}

const sizes = [1, 100, 10_000] as const;

/**
 * Measures the cost of a decision by the number of policies, and prints a table. The request is an Ethereum transfer by one user. Exactly
 * one policy of each set allows it. Takes a few seconds.
 */
export function measurePolicyCost(print: (line: string) => void = console.log): readonly PolicyCost[] {
  const request = toRequest('eth-transfer', ['u-bob']);
  // Warm up: the first thousands of runs are interpreted and would make the smallest set look the most expensive.
  for (const warmUp of [perUser(10), perAddress(10), perDenial(10), allApply(10)])
    timeDecisions(compilePolicies(warmUp), request);
  const results = sizes.flatMap((size) => [
    measure(size, 'a policy for each user', perUser(size), request),
    measure(size, 'a policy for each address', perAddress(size), request),
    measure(size, 'a DENY for each address', perDenial(size), request),
    measure(size, 'all apply', allApply(size), request),
  ]);
  print('policies  asked   decisions/s   µs/decision   compile ms   kind');
  for (const { policies, asked, decisionsPerSecond, microsecondsPerDecision, compileMilliseconds, kind } of results) {
    const columns = [
      policies,
      asked,
      Math.round(decisionsPerSecond),
      microsecondsPerDecision.toFixed(2),
      compileMilliseconds.toFixed(1),
    ];
    const widths = [8, 7, 14, 14, 13];
    print(`${columns.map((column, index) => String(column).padStart(widths[index] as number)).join('')}   ${kind}`);
  }
  return results;
}

function measure(policies: number, kind: string, sources: readonly PolicySource[], request: DecisionRequest): PolicyCost {
  const start = performance.now();
  const set = compilePolicies(sources);
  const compileMilliseconds = performance.now() - start;
  const decision = decide(set, request);
  if (decision.outcome !== 'ALLOW')
    throw new Error(`the measured request has to be allowed, and it was not: ${decision.outcome}`);
  const microseconds = timeDecisions(set, request);
  return {
    policies,
    kind,
    asked: decision.evaluations.length,
    decisionsPerSecond: 1_000_000 / microseconds,
    microsecondsPerDecision: microseconds,
    compileMilliseconds,
  };
}

/** The median of several rounds, so that one pause of the machine does not matter. */
function timeDecisions(set: PolicySet, request: DecisionRequest): number {
  const rounds = Array.from({ length: 7 }, () => {
    let count = 0;
    const start = performance.now();
    while (performance.now() - start < 60) {
      for (let repeat = 0; repeat < 5; repeat += 1) decide(set, request);
      count += 5;
    }
    return ((performance.now() - start) * 1_000) / count;
  });
  return rounds.sort((a, b) => a - b)[3] as number;
}

const sign = "activity.kind == 'SIGN_TRANSACTION' && eth.tx.chain_id == 11155111 && eth.tx.value <= 1000000000000000000";
const allowed = "eth.tx.to == '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'";

function perUser(size: number): readonly PolicySource[] {
  return sources(size, (index) => ({
    effect: 'EFFECT_ALLOW',
    condition: `${sign} && ${allowed}`,
    consensus: `approvers.any(user, user.id == '${index === 0 ? 'u-bob' : `u-${index}`}')`,
  }));
}

function perAddress(size: number): readonly PolicySource[] {
  return sources(size, (index) => ({
    effect: 'EFFECT_ALLOW',
    condition: `${sign} && ${index === 0 ? allowed : `eth.tx.to == '0x${index.toString(16).padStart(40, '0')}'`}`,
    consensus: "approvers.any(user, user.tags.contains('t-ops'))",
  }));
}

function perDenial(size: number): readonly PolicySource[] {
  return sources(size, (index) =>
    index === 0
      ? { effect: 'EFFECT_ALLOW', condition: `${sign} && ${allowed}` }
      : { effect: 'EFFECT_DENY', condition: `eth.tx.to == '0x${index.toString(16).padStart(40, '0')}' && eth.tx.value > 0` },
  );
}

function allApply(size: number): readonly PolicySource[] {
  return sources(size, () => ({
    effect: 'EFFECT_ALLOW',
    condition: `${sign} && !wallet.exported`,
    consensus: 'approvers.count() >= 1',
  }));
}

function sources(size: number, make: (index: number) => Omit<PolicySource, 'id'>): readonly PolicySource[] {
  return Array.from({ length: size }, (_, index) => ({ id: `p-${index}`, ...make(index) }));
}
