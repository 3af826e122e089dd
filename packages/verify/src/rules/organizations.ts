import type { Feature, FreezeRecord } from '@countersign/judgement';
import { sameJson } from '../text.ts';
import { type Change, type Done, difference, has, hasChangedOnly, hasEnded, isNew, nothing, type Rules } from './rule.ts';

/** Whether the organization's own record changed in nothing but what is not kept. */
function isBilling(change: Change): boolean {
  return hasChangedOnly(change, 'organization', []);
}

/** Whether the features changed in this one alone. `isThere` says whether the organization has it now. */
function isFeature(change: Change, feature: string, isThere: boolean): boolean {
  if (!hasChangedOnly(change, 'organization', ['features'])) return false;
  const others = (features: readonly Feature[]) => features.filter(({ name }) => name !== feature);
  const { before, after } = change;
  return (
    sameJson(others(before.features), others(after.features)) && after.features.some(({ name }) => name === feature) === isThere
  );
}

function isRenamed(change: Change, { params }: Done<{ readonly organizationName: string }>): boolean {
  return hasChangedOnly(change, 'organization', ['name']) && change.after.name === params.organizationName;
}

/** Whether an organization was dissolved: everything in it ends, and no user can act in it. */
function isDissolved(change: Change): boolean {
  if (change.kind !== 'organization') return hasEnded(change, change.kind);
  return change.after?.deletedAtMs !== undefined && change.after.rootQuorum.userIds.length === 0;
}

interface NamedObjects {
  readonly wholeOrganization?: boolean | undefined;
  readonly userIds?: readonly string[] | undefined;
  readonly walletIds?: readonly string[] | undefined;
  readonly privateKeyIds?: readonly string[] | undefined;
}

/** As what a request to freeze or unfreeze names an object. Undefined if it does not name it. */
export function namedAs(id: string, params: NamedObjects, organizationId: string): FreezeRecord['target'] | undefined {
  if (id === organizationId) return params.wholeOrganization === true ? 'ORGANIZATION' : undefined;
  if (params.userIds?.includes(id)) return 'USER';
  if (params.walletIds?.includes(id)) return 'WALLET';
  return params.privateKeyIds?.includes(id) ? 'PRIVATE_KEY' : undefined;
}

/** The fields that a request has. */
function givenIn<T extends object>(params: T): (keyof T & string)[] {
  return (Object.keys(params) as (keyof T & string)[]).filter((name) => params[name] !== undefined);
}

export const organizationRules: Rules<
  | 'activateBillingTier'
  | 'setPaymentMethod'
  | 'deletePaymentMethod'
  | 'createOrganization'
  | 'createSubOrganization'
  | 'deleteOrganization'
  | 'deleteSubOrganization'
  | 'setIpAllowlist'
  | 'removeIpAllowlist'
  | 'freeze'
  | 'unfreeze'
  | 'setOrganizationFeature'
  | 'removeOrganizationFeature'
  | 'updateAllowedOrigins'
  | 'updateAuthProxyConfig'
  | 'disableAuthProxy'
  | 'updateOrganizationName'
  | 'updateRootQuorum'
> = {
  activateBillingTier: isBilling,
  setPaymentMethod: isBilling,
  deletePaymentMethod: isBilling,
  // They change nothing in the organization that creates another one.
  createOrganization: nothing,
  createSubOrganization: nothing,
  setIpAllowlist: nothing,
  removeIpAllowlist: nothing,
  freeze: (change, { params, submitterId, state }) =>
    isNew(change, 'freeze') &&
    has(change.after, { target: namedAs(change.id, params, state.id), reason: params.reason, frozenBy: submitterId }),
  unfreeze: (change, { params, state }) =>
    hasEnded(change, 'freeze') && change.before.target === namedAs(change.id, params, state.id),
  deleteOrganization: isDissolved,
  deleteSubOrganization: isDissolved,
  setOrganizationFeature: (change, { params: { name } }) => isFeature(change, name, true),
  removeOrganizationFeature: (change, { params: { name } }) => isFeature(change, name, false),
  updateAuthProxyConfig: (change, { params, state }) =>
    change.id === state.id &&
    change.kind === 'authProxy' &&
    change.after !== undefined &&
    (change.before === undefined || hasChangedOnly(change, 'authProxy', givenIn(params))) &&
    has(change.after, Object.fromEntries(givenIn(params).map((name) => [name, params[name]]))),
  disableAuthProxy: (change, { state }) => hasEnded(change, 'authProxy') && change.id === state.id,
  updateAllowedOrigins: (change, { params: { allowedOrigins } }) =>
    isFeature(change, 'FEATURE_NAME_WEBAUTHN_ORIGINS', allowedOrigins.length > 0),
  updateOrganizationName: isRenamed,
  updateRootQuorum: (change, { params: { threshold, userIds } }) =>
    hasChangedOnly(change, 'organization', ['rootQuorum']) &&
    change.after.rootQuorum.threshold === threshold &&
    difference(change.after.rootQuorum.userIds, userIds).length === 0,
};
