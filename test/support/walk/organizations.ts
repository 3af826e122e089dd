import { createOrganization, type Organization, policyParams } from '../../features/policies/support.ts';
import { endpointParams } from '../activity-params.ts';
import type { Caller } from '../caller.ts';
import { createPrivateKey, uniqueName } from '../world.ts';

/** Default of `maxWebhookEndpoints`. */
const ENDPOINTS = 10;
const POLICIES = 60;
/** Few enough that one request may create them. */
const TOGETHER = 7;

/** The endpoints of an organization, which get every event and never answer. */
async function addEndpoints(root: Caller): Promise<void> {
  const { subscriptions: _, ...endpoint } = endpointParams();
  for (let at = 0; at < ENDPOINTS; at += 1)
    await root.result('createWebhookEndpoint', { ...endpoint, name: uniqueName('Webhook') });
}

const listening = new WeakMap<Caller, Promise<void>>();

/** A sub-organization whose events go to the endpoints of its parent and, with one root user, to as many of its own. */
export async function createHeard(parent: Caller, roots = 1): Promise<Organization> {
  if (!listening.has(parent)) listening.set(parent, addEndpoints(parent));
  await listening.get(parent);
  const organization = await createOrganization(parent, { roots, threshold: roots });
  if (roots === 1) await addEndpoints(organization.root);
  return organization;
}

/** A condition of almost the maximum length that no signature satisfies. The index of policies cannot skip it. */
export function longCondition(seed: number, clauses = 640): string {
  const all = Array.from({ length: clauses }, (_, at) => `activity.params.payload != '${seed + at}'`);
  return `${all.join(' && ')} && !(1 < 2)`;
}

/** As many long policies as one request may create. */
export const longPolicies = (seed: number, count = TOGETHER) =>
  Array.from({ length: count }, (_, at) => policyParams('DENY', { condition: longCondition(seed + at) }));

/** Adds long policies that deny, and one that allows signatures. */
export async function addLongPolicies(root: Caller): Promise<void> {
  for (let from = 0; from < POLICIES; from += TOGETHER)
    await root.result('createPolicies', { policies: longPolicies(from, Math.min(TOGETHER, POLICIES - from)) });
  await root.result('createPolicy', policyParams('ALLOW', { condition: "activity.action == 'SIGN'" }));
}

/** Adds limits that count transfers of an asset for each receiving address. */
export async function addLimits(root: Caller, count: number, caip19: string, decimals: string): Promise<void> {
  for (let at = 0; at < count; at += 1)
    await root.result('createVelocityControl', {
      name: uniqueName('Limit'),
      identifier: `limit_${at}`,
      dataSource: { chainAssetTransfer: { definition: [{ caip19, decimals }] } },
      aggregation: {
        method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
        operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
        threshold: '1000000',
        window: { rolling: { duration: '86400' } },
        groupBy: { destination: {} },
      },
    });
}

export const newKey = (root: Caller) => createPrivateKey(root, 'CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM']);
