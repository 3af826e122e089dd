import type { CompiledPolicy } from '../policy.ts';
import type { ActivityWords } from '../request.ts';
import { kindsOf } from '../schema/namespace.ts';
import { factsOf } from './facts.ts';
import { allNodes, pathsRead } from './nodes.ts';
import type { PolicyWarning } from './warning.ts';

/** Kinds of activity that are equivalent: one payload, and many. */
const alike: Readonly<Record<string, string>> = {
  SIGN_RAW_PAYLOAD: 'SIGN_RAW_PAYLOADS',
  SIGN_RAW_PAYLOADS: 'SIGN_RAW_PAYLOAD',
};

/** Warns if a DENY can be bypassed with an equivalent request. */
export function denySidesteps(policy: CompiledPolicy, activities: readonly ActivityWords[] = []): readonly PolicyWarning[] {
  if (policy.effect !== 'EFFECT_DENY' || policy.condition === undefined) return [];
  return [...otherTypes(policy, activities), ...otherReceivers(policy)];
}

/** A DENY on single activity types does not cover their other versions, or equivalent types. */
function otherTypes(policy: CompiledPolicy, activities: readonly ActivityWords[]): readonly PolicyWarning[] {
  const facts = policy.condition === undefined ? undefined : factsOf(policy.condition.typed);
  const types = facts?.among.get('activity.type');
  const kinds = facts?.among.get('activity.kind');
  const meant = activities.filter(({ type, kind }) => (types ?? kinds)?.has(types === undefined ? kind : type) === true);
  const wanted = new Set(meant.flatMap(({ kind }) => [kind, ...(alike[kind] === undefined ? [] : [alike[kind]])]));
  // Assume that the rest of the condition holds, to find the activities that only the type or kind excludes.
  const has = (kind: string) => policy.condition?.uses.every(({ namespace }) => kindsOf(namespace)?.has(kind) !== false) === true;
  const missed = activities.filter((activity) => wanted.has(activity.kind) && has(activity.kind) && !meant.includes(activity));
  const [first] = missed;
  if (first === undefined) return [];
  const names = missed.map(({ type }) => type);
  const path = types === undefined ? 'activity.kind' : 'activity.type';
  const list = [...wanted].map((kind) => `'${kind}'`).join(', ');
  const all = wanted.size === 1 ? `activity.kind == ${list}` : `activity.kind in [${list}]`;
  const signs = meant.some(({ resource, action }) => resource === 'PRIVATE_KEY' && action === 'SIGN');
  const every = signs ? ", or `activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'` for everything that signs" : '';
  return [
    {
      code: 'DENY_SIDESTEPPED',
      policyId: policy.id,
      field: 'condition',
      message: `it asks for one \`${path}\`, and ${names.join(', ')} ${names.length === 1 ? 'does' : 'do'} the same`,
      help: `write \`${all}\`${every}`,
      example: { 'activity.type': first.type, 'activity.kind': first.kind },
    },
  ];
}

/** A DENY on `eth.tx.to` does not see the recipient of a token: the transaction goes to the token's contract. */
function otherReceivers(policy: CompiledPolicy): readonly PolicyWarning[] {
  const nodes = policy.condition === undefined ? [] : allNodes(policy.condition.typed);
  const listed = nodes.find(
    (node) =>
      ((node.kind === 'oneOf' && !node.negated) || node.kind === 'member') &&
      pathsRead(allNodes(node.kind === 'oneOf' ? node.operand : node.item)).includes('eth.tx.to'),
  );
  const paths = pathsRead(nodes);
  const looksInside = [
    'effects',
    'eth.tx.data',
    'eth.tx.contract_call_args',
    'eth.tx.function_name',
    'eth.tx.function_signature',
  ];
  if (listed === undefined || looksInside.some((path) => paths.includes(path))) return [];
  const [address] = listed.kind === 'oneOf' ? [...listed.values].map(String) : [];
  return [
    {
      code: 'RECEIVER_NOT_CHECKED',
      policyId: policy.id,
      field: 'condition',
      span: listed.span,
      message: 'it looks at `eth.tx.to` only, and a token goes to its contract: whoever receives it is in the call',
      help: `write \`effects.any(e, e.to == '${address ?? '0x…'}')\`, in a policy of its own`,
      example: {
        'eth.tx.to': '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
        'eth.tx.function_name': 'transfer',
        'effects[0].to': address ?? 'the address that you mean',
      },
    },
  ];
}
