import type { EachNode } from '../check/typed.ts';
import { pathOf } from '../decide/index-key.ts';
import type { CompiledPolicy } from '../policy.ts';
import { factsOf, sizeOf } from './facts.ts';
import { allNodes, pathsRead } from './nodes.ts';
import type { PolicyWarning } from './warning.ts';

const callPaths = [
  'eth.tx.data',
  'eth.tx.function_name',
  'eth.tx.function_signature',
  'eth.tx.contract_call_args',
  'tx.fully_parsed',
  'tx.understood',
  'tx.is_payment',
  'tx.payments',
  'effects',
];

/** Warns if an ALLOW checks less than it seems to. */
export function gaps(policy: CompiledPolicy): readonly PolicyWarning[] {
  const { condition } = policy;
  if (condition === undefined || policy.effect !== 'EFFECT_ALLOW') return [];
  const nodes = allNodes(condition.typed);
  const { bounds } = factsOf(condition.typed);
  const warnings: PolicyWarning[] = [];
  for (const node of nodes.filter((each): each is EachNode => each.kind === 'each' && each.quantifier === 'every')) {
    // Lists of the engine exist in all requests, and an empty one hides nothing.
    if (
      node.list.kind !== 'read' ||
      node.list.namespace.read !== undefined ||
      (node.list.namespace.neverEmpty === true && node.list.path.length === 0) ||
      (bounds.get(sizeOf(pathOf(node.list)))?.low ?? 0n) > 0n
    )
      continue;
    const path = pathOf(node.list);
    const transaction = node.list.namespace.transaction === true;
    const example = transaction ? ', for example for a transaction that does something else altogether' : '';
    const message = `it is true when \`${path}\` is empty${example}`;
    const rest = transaction ? ', and say what else the transaction may hold' : '';
    const help = `add \`${sizeOf(path)} > 0\`${rest}`;
    warnings.push({
      code: 'VACUOUS_ALL',
      policyId: policy.id,
      field: 'condition',
      span: node.span,
      message,
      help,
      example: { [path]: '[]' },
    });
  }
  const paths = pathsRead(nodes);
  if (callNotChecked(paths)) {
    const message = 'it checks which address is called, but not which function; a call may make further calls';
    const help = 'check `eth.tx.function_name` or `eth.tx.data`, or ask for `tx.understood` and look at `effects`';
    const example = { 'eth.tx.data': '0x095ea7b3…', 'effects[0].kind': 'ALLOWANCE' };
    warnings.push({ code: 'CALL_NOT_CHECKED', policyId: policy.id, field: 'condition', message, help, example });
  }
  return warnings;
}

/** Whether paths include the called contract, but nothing about the call. */
export function callNotChecked(paths: readonly string[]): boolean {
  return paths.includes('eth.tx.to') && !callPaths.some((path) => paths.includes(path));
}
