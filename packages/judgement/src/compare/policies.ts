import type { ActivityInput } from '@countersign/contract';
import { selectorsToPolicy } from '@countersign/policy';
import { ControlProblem } from '../controls/definition.ts';
import { updated } from '../controls/update.ts';
import { policyContent, updatedContent } from '../policy-content.ts';
import { POLICY_LANGUAGE } from '../policy-language-1.ts';
import { policyOptions } from '../policy-options.ts';
import type { Proposed } from './change.ts';
import { type CompareOf, changed, created, deleted } from './operation.ts';

function newPolicy(params: ActivityInput<'createPolicy'>): Proposed {
  const { policyName, effect, notes = '', selectors } = params;
  const expressions = selectors === undefined ? params : selectorsToPolicy(selectors, policyOptions).policy;
  return created('policy', policyContent({ ...expressions, policyName, effect, notes, language: POLICY_LANGUAGE }));
}

export const createPolicy: CompareOf<'createPolicy'> = ({ params }) => [newPolicy(params)];

export const createPolicies: CompareOf<'createPolicies'> = function* ({ params }) {
  for (const policy of params.policies) yield newPolicy(policy);
};

export const updatePolicy: CompareOf<'updatePolicy'> = (request) =>
  changed(request, 'policy', request.params.policyId, (before) => updatedContent(before, request.params));

export const deletePolicy: CompareOf<'deletePolicy'> = (request) => deleted(request, 'policy', [request.params.policyId]);

export const deletePolicies: CompareOf<'deletePolicies'> = (request) => deleted(request, 'policy', request.params.policyIds);

export const createSmartContractInterface: CompareOf<'createSmartContractInterface'> = ({ params }) => [
  created('smartContractInterface', { ...params, notes: params.notes ?? '' }),
];

export const deleteSmartContractInterface: CompareOf<'deleteSmartContractInterface'> = (request) =>
  deleted(request, 'smartContractInterface', [request.params.smartContractInterfaceId]);

export const createVelocityControl: CompareOf<'createVelocityControl'> = ({ params, resolved }) => {
  // The service adds what the limit says about other assets.
  const dataSource = (resolved?.dataSource as typeof params.dataSource | undefined) ?? params.dataSource;
  return [created('velocityControl', { ...params, dataSource })];
};

export const updateVelocityControl: CompareOf<'updateVelocityControl'> = function* (request) {
  const { velocityControlId: id, ...update } = request.params;
  try {
    yield* changed(request, 'velocityControl', id, (before) => updated(before, update, before.updatedAtMs));
  } catch (error) {
    if (!(error instanceof ControlProblem)) throw error;
    yield { kind: 'velocityControl', id, problem: `cannot be changed so: ${error.message}` };
  }
};

export const raiseVelocityControl: CompareOf<'raiseVelocityControl'> = (request) => {
  const { velocityControlId, newThreshold, until } = request.params;
  const raise = { threshold: newThreshold, untilMs: Number(until) };
  return changed(request, 'velocityControl', velocityControlId, (before) => ({ ...before, raise }));
};

export const resetVelocityControl: CompareOf<'resetVelocityControl'> = (request) =>
  changed(
    request,
    'velocityControl',
    request.params.velocityControlId,
    (before) => before,
    () => ({ also: { before: { 'what it counted so far': 'counts' }, after: { 'what it counted so far': 'no longer counts' } } }),
  );

export const deleteVelocityControl: CompareOf<'deleteVelocityControl'> = (request) =>
  deleted(request, 'velocityControl', [request.params.velocityControlId]);
