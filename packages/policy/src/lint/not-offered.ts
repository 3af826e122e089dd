import { pathOf } from '../decide/index-key.ts';
import type { CompiledPolicy } from '../policy.ts';
import { allNodes } from './nodes.ts';
import type { PolicyWarning } from './warning.ts';

/** Words that exist but that no request of this service has, by the path that is compared with them: `activity.type`. */
export type NotOffered = Readonly<Record<string, readonly string[]>>;

/** Warns about words that this service never sees. A policy that names them may have been written for another service. */
export function notOfferedWords(policy: CompiledPolicy, notOffered: NotOffered = {}): readonly PolicyWarning[] {
  if (policy.condition === undefined) return [];
  return allNodes(policy.condition.typed).flatMap((node): readonly PolicyWarning[] => {
    if (node.kind !== 'oneOf' || node.operand.kind !== 'read') return [];
    const path = pathOf(node.operand);
    const named = [...node.values].filter((value) => typeof value === 'string' && notOffered[path]?.includes(value));
    if (named.length === 0) return [];
    const message = `this service does not offer ${named.map((word) => `\`${word}\``).join(', ')}: no request has that \`${path}\``;
    const base = { code: 'NOT_OFFERED', policyId: policy.id, field: 'condition', span: node.span, message } as const;
    return [{ ...base, help: 'the rest of the policy holds as it is written' }];
  });
}
