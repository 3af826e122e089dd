import type { CompiledPolicy } from '../policy.ts';
import { formatTimestamp } from '../time/timestamp.ts';
import { contradictionIn, type Facts, factsOf } from './facts.ts';
import type { PolicyWarning } from './warning.ts';

/** Warns if no request can satisfy a policy, according to its text alone. */
export function neverMatches(policy: CompiledPolicy, now: number | undefined): readonly PolicyWarning[] {
  const warnings: PolicyWarning[] = [];
  for (const field of ['condition', 'consensus', 'time'] as const) {
    const expression = policy[field];
    if (expression === undefined) continue;
    const facts = factsOf(expression.typed);
    const path = facts.constantFalse ? undefined : contradictionIn(facts);
    if (facts.constantFalse)
      warnings.push({ code: 'NEVER_MATCHES', policyId: policy.id, field, message: `its ${field} is always false` });
    if (path !== undefined) {
      warnings.push({
        code: 'NEVER_MATCHES',
        policyId: policy.id,
        field,
        message: `its ${field} asks for two things of \`${path}\` that exclude each other`,
      });
    }
    if (field === 'time' && now !== undefined) warnings.push(...expired(policy, facts, now));
    if (field === 'condition') warnings.push(...exclusiveUses(policy));
  }
  return warnings;
}

function exclusiveUses(policy: CompiledPolicy): readonly PolicyWarning[] {
  const uses = policy.condition?.uses ?? [];
  const groups = new Set(uses.flatMap(({ namespace }) => namespace.groups ?? []));
  return [...groups].flatMap((group): readonly PolicyWarning[] => {
    const [first, second] = uses.filter(({ namespace }) => namespace.groups?.includes(group));
    if (first === undefined || second === undefined) return [];
    const message = `it names \`${first.namespace.path}\` and \`${second.namespace.path}\`, and a request never has both`;
    const help =
      '`||` does not help, because a policy steps aside where a request lacks anything that it names: make one policy for each';
    return [{ code: 'NEVER_MATCHES', policyId: policy.id, field: 'condition', span: second.span, message, help }];
  });
}

function expired(policy: CompiledPolicy, { bounds }: Facts, now: number): readonly PolicyWarning[] {
  const last = bounds.get('time.now')?.high;
  if (last === undefined || last >= BigInt(Math.floor(now))) return [];
  return [{ code: 'EXPIRED', policyId: policy.id, field: 'time', message: `its time ended at ${formatTimestamp(last)}` }];
}
