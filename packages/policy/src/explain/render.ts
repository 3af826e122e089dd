import type { ExplainedPart, ExplainedPolicy, Explanation } from './explanation.ts';

/** Renders an explanation as a text tree, for a terminal. */
export function renderExplanation(explanation: Explanation): string {
  const { decision, rootQuorum, approvers, policies, changes, shortened } = explanation;
  const by =
    decision.outcome === 'NEEDS_CONSENSUS' ? `may approve: ${decision.mayApprove.join(', ')}` : `by ${decision.by.toLowerCase()}`;
  const lines = [
    `${decision.outcome} (${by})`,
    `approvers: ${approvers.length === 0 ? 'none' : approvers.join(', ')}`,
    `root quorum: ${rootQuorum.approved} of ${rootQuorum.threshold}${rootQuorum.met ? ', met' : ''}`,
  ];
  for (const policy of policies) lines.push(...renderPolicy(policy));
  if (changes.length > 0) lines.push('what would change it:', ...changes.map((change) => `  - ${change}`));
  if (shortened) lines.push('shortened: there are more policies, parts or users than an explanation shows');
  // SECURITY: users choose names and labels. Their control characters must not reach the terminal.
  return lines.map((line) => line.replace(/[\p{Cc}\p{Cf}]/gu, ' ')).join('\n');
}

function renderPolicy(policy: ExplainedPolicy): readonly string[] {
  const lines = [
    `policy ${policy.policyId} (${policy.effect}): ${policy.outcome}${policy.error === undefined ? '' : ` ${policy.error.code}`}`,
  ];
  const expressions = Object.entries(policy.expressions);
  for (const [index, [field, part]] of expressions.entries()) {
    const last = index === expressions.length - 1;
    lines.push(`${last ? '└─' : '├─'} ${field}: ${renderLine(part)}`, ...renderParts(part, last ? '   ' : '│  '));
  }
  return lines;
}

function renderParts({ parts }: ExplainedPart, indent: string): readonly string[] {
  return parts.flatMap((part, index) => {
    const last = index === parts.length - 1;
    return [`${indent}${last ? '└─' : '├─'} ${renderLine(part)}`, ...renderParts(part, `${indent}${last ? '   ' : '│  '}`)];
  });
}

function renderLine({ text, value, error, note, element, unasked }: ExplainedPart): string {
  const outcome = error === undefined ? (value ?? '(not shown)') : `${error.code}: ${error.message}`;
  const oneLine = text.replace(/\s+/g, ' ');
  return `${element === undefined ? '' : `for ${element}: `}${oneLine} → ${outcome}${note === undefined ? '' : ` (it ${note})`}${unasked ? ' (not asked)' : ''}`;
}
