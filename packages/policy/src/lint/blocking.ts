import { someNode } from '../check/typed.ts';
import { consensusShape } from '../decide/consensus-shape.ts';
import type { CompiledPolicy } from '../policy.ts';
import { LANGUAGE } from '../version.ts';
import type { PolicyWarning } from './warning.ts';

/**
 * Warns if one more approval can make the consensus of an ALLOW false. Such a request can wait for users who cannot help, and a vote cannot be
 * taken back.
 */
export function blockingApprovals({ id, effect, consensus, source }: CompiledPolicy): readonly PolicyWarning[] {
  if (effect !== 'EFFECT_ALLOW' || consensus === undefined || consensusShape(consensus.typed) !== undefined) return [];
  const isForAll = someNode(consensus.typed, (node) => node.kind === 'each' && node.quantifier === 'every');
  const isOld = (source.language ?? LANGUAGE) < LANGUAGE;
  const help =
    isForAll && isOld
      ? 'store the policy again: in the current language, approvals of users who do not satisfy `approvers.all(…)` are ignored'
      : 'say how many approvals are needed, such as `approvers.filter(user, …).count() >= 2`';
  const message = 'one more approval can make its consensus false, and then no further approval helps';
  return [{ code: 'APPROVAL_CAN_BLOCK', policyId: id, field: 'consensus', message, help }];
}
