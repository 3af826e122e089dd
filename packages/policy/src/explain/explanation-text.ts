import type { ExplainedPolicy, Explanation } from './explanation.ts';
import { jsonList, jsonWith } from './json-with.ts';
import { partText } from './parts.ts';

/** The JSON of an explanation, exactly as JSON.stringify gives it. Parts that were given again are not written again. */
export function explanationText(explanation: Explanation): string {
  return jsonWith(explanation, inExplanation);
}

const inPolicy = {
  expressions: (expressions: ExplainedPolicy['expressions']) => jsonWith(expressions, inExpressions),
};

const inExpressions = { time: partText, condition: partText, consensus: partText };

const inExplanation = {
  policies: (policies: readonly ExplainedPolicy[]) => jsonList(policies, (policy) => jsonWith(policy, inPolicy)),
};
