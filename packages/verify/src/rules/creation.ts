import { type Activities, type ActivityInput, activities } from '@countersign/contract';
import type { OrganizationRecord } from '@countersign/judgement';
import type { z } from 'zod';
import type { LocalChange } from '../format/lines.ts';
import { State } from '../state/state.ts';
import { sameJson } from '../text.ts';
import { explained } from './explained.ts';
import { isNewPrivateKey, isOfNewWallet } from './keys.ts';
import type { Change } from './rule.ts';
import { isOfNewUser } from './users.ts';

/** An activity that created an organization. */
export interface Creation {
  readonly name: string;
  /** Of the organization that created it. */
  readonly creatorId: string;
  readonly params: unknown;
  readonly result: unknown;
}

/** The organization that an activity created, empty but for these changes. Throws AuditError for a change that nothing explains. */
export function createdState(organizationId: string, changes: readonly LocalChange[], creation: Creation): State {
  const state = new State(organizationId);
  const explain =
    creation.name === activities.createOrganization.name
      ? byOperator(organizationId, creation)
      : byParent(organizationId, creation);
  explained(state, changes, (change) => explain(change, changes));
  state.apply(changes);
  return state;
}

type Explain = (change: Change, changes: readonly LocalChange[]) => boolean;

function byParent(organizationId: string, { params, result, creatorId }: Creation): Explain {
  const given = params as ActivityInput<'createSubOrganization'>;
  const made = result as z.output<Activities['createSubOrganization']['result']>;
  const { rootUserIds = [] } = made;
  return (change) => {
    if (made.subOrganizationId !== organizationId) return false;
    if (change.kind === 'organization') {
      const rootQuorum = { threshold: given.rootQuorumThreshold, userIds: rootUserIds };
      return isProfile(change, organizationId, { name: given.subOrganizationName, parentId: creatorId, rootQuorum });
    }
    const wallet =
      given.wallet !== undefined && made.wallet !== undefined && isOfNewWallet(change, given.wallet, made.wallet, false);
    const key = (given.privateKeys ?? []).some(
      (each, at) => made.privateKeys?.[at]?.privateKeyId === change.id && isNewPrivateKey(change, each, false),
    );
    return wallet || key || isOfNewUser(change, given.rootUsers, rootUserIds);
  };
}

/** The operator's organization made a top-level one, with one root user who has a passkey. */
function byOperator(organizationId: string, { params, result }: Creation): Explain {
  const given = params as ActivityInput<'createOrganization'>;
  const made = result as z.output<Activities['createOrganization']['result']>;
  return (change, changes) => {
    if (made.organizationId !== organizationId) return false;
    const rootUserId = changes.find((each) => 'put' in each && each.put === 'user')?.id ?? '';
    if (given.rootUserId !== undefined && given.rootUserId !== rootUserId) return false;
    if (change.kind === 'organization') {
      const rootQuorum = { threshold: 1, userIds: [rootUserId] };
      return isProfile(change, organizationId, { name: given.organizationName, parentId: null, rootQuorum });
    }
    const root = {
      userName: 'Root user',
      userEmail: given.rootEmail,
      apiKeys: [],
      authenticators: [given.rootAuthenticator],
      oauthProviders: [],
    };
    return isOfNewUser(change, [root], [rootUserId]);
  };
}

function isProfile(
  { id, before, after }: Extract<Change, { kind: 'organization' }>,
  organizationId: string,
  expected: Pick<OrganizationRecord, 'name' | 'parentId' | 'rootQuorum'>,
): boolean {
  if (id !== organizationId || before !== undefined || after === undefined || after.first !== undefined) return false;
  const { name, parentId, rootQuorum } = after;
  return sameJson({ name, parentId, rootQuorum }, expected);
}

/** The first organization of an installation, as `countersign init` made it, without a stamped request. */
export function firstState(organizationId: string, changes: readonly LocalChange[]): State {
  const state = new State(organizationId);
  explained(state, changes, (change) => change.before === undefined && change.after !== undefined);
  state.apply(changes);
  return state;
}
