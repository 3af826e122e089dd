import type { Feature } from '@countersign/judgement';
import { sameJson } from '../text.ts';
import { type Change, type Done, difference, hasChangedOnly, hasEnded, nothing, type Rules } from './rule.ts';

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
  | 'setOrganizationFeature'
  | 'removeOrganizationFeature'
  | 'updateAllowedOrigins'
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
  deleteOrganization: isDissolved,
  deleteSubOrganization: isDissolved,
  setOrganizationFeature: (change, { params: { name } }) => isFeature(change, name, true),
  removeOrganizationFeature: (change, { params: { name } }) => isFeature(change, name, false),
  updateAllowedOrigins: (change, { params: { allowedOrigins } }) =>
    isFeature(change, 'FEATURE_NAME_WEBAUTHN_ORIGINS', allowedOrigins.length > 0),
  updateOrganizationName: isRenamed,
  updateRootQuorum: (change, { params: { threshold, userIds } }) =>
    hasChangedOnly(change, 'organization', ['rootQuorum']) &&
    change.after.rootQuorum.threshold === threshold &&
    difference(change.after.rootQuorum.userIds, userIds).length === 0,
};
