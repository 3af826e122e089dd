import { type ActivityDefinition, activities } from '@countersign/contract';
import { selfServiceResources } from './authority.ts';
import { FREEZE } from './freezes.ts';

/** What can allow an activity other than a policy and the full root quorum. */
export interface BesidePolicies {
  /** Users may do it to their own credentials, unless a policy denies it. */
  readonly selfService: boolean;
  /** One member of the root quorum may do it, unless a policy denies it. */
  readonly rootUserSuffices: boolean;
  /** A one-time key that was sent by mail may do it. Policies are not consulted. */
  readonly oneTimeKeySuffices: boolean;
}

const byOneTimeKey: readonly string[] = [
  activities.recoverUser.name,
  activities.acceptInvitation.name,
  activities.exchangeOneTimeKey.name,
];

/** What can allow an activity without a policy. INVARIANT: false only if the service never allows the activity that way. */
export function besidePolicies({ name, policy }: Pick<ActivityDefinition, 'name' | 'policy'>): BesidePolicies {
  return {
    selfService: selfServiceResources.includes(policy.resource),
    rootUserSuffices: name === FREEZE,
    oneTimeKeySuffices: byOneTimeKey.includes(name),
  };
}
