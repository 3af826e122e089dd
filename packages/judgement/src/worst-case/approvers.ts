import type { Steps } from '@countersign/collections';
import {
  type CompiledPolicy,
  evaluatePolicies,
  type PolicyCredential,
  type PolicyUser,
  type StepBudget,
} from '@countersign/policy';
import type { JudgedOrganization } from '../organization.ts';
import type { ApiKeyRecord, AuthenticatorRecord, UserRecord } from '../records.ts';
import type { VoteRecord } from '../votes.ts';
import type { Seeds } from './seeds.ts';

/** What a consensus can ask of a person. */
export interface Person {
  /** ANY: nothing. The others have tags, or are one user. */
  readonly kind: 'ANY' | 'TAGS' | 'USER';
  /** The ids of the tags, or the id, name or e-mail address of the user. */
  readonly values: readonly string[];
  readonly user: UserRecord;
  /** The user's id, if the policy names it. */
  readonly id?: string;
}

/** Approvers who satisfy a consensus together. */
export interface Group {
  readonly people: readonly Person[];
  readonly byPasskey: boolean;
}

/** The most approvers of a group, and the most groups that are tried. */
const MAX_PEOPLE = 7;
const MAX_TRIALS = 300;
const PASSKEY = 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR';
const API_KEY = 'CREDENTIAL_TYPE_API_KEY_P256';

/** The people that a consensus can tell apart, those of whom it asks nothing first. */
export function peopleNamedBy({ consensus }: Seeds, { users }: JudgedOrganization): readonly Person[] {
  const record = (more: Partial<UserRecord>): UserRecord => ({
    userName: 'imagined',
    userTags: [],
    createdAtMs: 0,
    updatedAtMs: 0,
    ...more,
  });
  const ids = [...new Set([...consensus('User.id'), ...consensus('Credential.user_id')])];
  const tags = consensus('User.tags');
  return [
    { kind: 'ANY', values: [], user: record({}) },
    // One user may have all of the tags.
    ...[...tags.map((tag) => [tag]), ...(tags.length > 1 ? [tags] : [])].map(
      (values): Person => ({ kind: 'TAGS', values, user: record({ userTags: values }) }),
    ),
    ...consensus('User.alias').map((value): Person => ({ kind: 'USER', values: [value], user: record({ userName: value }) })),
    ...consensus('User.email').map((value): Person => ({ kind: 'USER', values: [value], user: record({ userEmail: value }) })),
    ...ids.map((id): Person => {
      const user = users.get(id);
      return { kind: 'USER', values: [user?.userName ?? id], user: user ?? record({ userName: id }), id };
    }),
  ];
}

/** The smallest groups that satisfy the consensus of a policy, with the fewest demands first. */
export function* groupsFor(
  policy: CompiledPolicy,
  people: readonly Person[],
  budget: StepBudget,
  most = 3,
): Steps<readonly Group[]> {
  const { condition: _, time: __, ...rest } = policy;
  // A DENY that does not compile denies everyone.
  const consensusOnly = { ...rest, invalid: [] };
  const readsCredentials = policy.consensus?.uses.some(({ namespace }) => namespace.path === 'credentials') === true;
  const found: Group[] = [];
  let trials = MAX_TRIALS;
  for (let size = 1; size <= MAX_PEOPLE && found.length === 0; size++) {
    for (const chosen of combinations(people, size)) {
      for (const byPasskey of readsCredentials ? [false, true] : [false]) {
        if (trials-- <= 0 || !budget.spend(size + (policy.consensus?.cost ?? 0))) return found;
        if (satisfies(consensusOnly, { people: chosen, byPasskey })) found.push({ people: chosen, byPasskey });
        if (found.length >= most) return found;
        if (budget.isSliceOver) yield undefined;
      }
    }
  }
  return found;
}

function satisfies(policy: CompiledPolicy, group: Group): boolean {
  const users = group.people.map(
    ({ user, id }, index): PolicyUser => ({
      id: id ?? personId(index),
      tags: user.userTags,
      alias: user.userName,
      email: user.userEmail,
    }),
  );
  const credentials = users.map(
    ({ id }): PolicyCredential => ({ id: `key of ${id}`, userId: id, type: typeOf(group), publicKey: '' }),
  );
  const request = {
    approvers: users,
    credentials,
    activity: { type: '' },
    namespaces: {},
    now: 0,
    rootQuorum: { threshold: 1, userIds: [] },
    organizationUsers: new Map(users.map((user) => [user.id, user])),
  };
  return evaluatePolicies([{ ...policy, effect: 'EFFECT_ALLOW' }], request)[0]?.outcome === 'OUTCOME_ALLOW';
}

const typeOf = ({ byPasskey }: Group) => (byPasskey ? PASSKEY : API_KEY);
const personId = (index: number) => `imagined-${index}`;

/** Combinations of a size. A named user occurs once; all others as often as the size permits. */
function* combinations(people: readonly Person[], size: number, from = 0): Generator<readonly Person[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let index = from; index < people.length; index++) {
    const person = people[index] as Person;
    const next = person.kind === 'USER' ? index + 1 : index;
    for (const others of combinations(people, size - 1, next)) yield [person, ...others];
  }
}

/** The users and credentials of a group, and their approvals. */
export interface Approving {
  readonly users: ReadonlyMap<string, UserRecord>;
  readonly apiKeys: ReadonlyMap<string, ApiKeyRecord>;
  readonly authenticators: ReadonlyMap<string, AuthenticatorRecord>;
  readonly votes: readonly VoteRecord[];
}

export function approvalsOf(group: Group, nowMs: number): Approving {
  const dates = { createdAtMs: 0, updatedAtMs: 0 };
  const users = new Map<string, UserRecord>();
  const apiKeys = new Map<string, ApiKeyRecord>();
  const authenticators = new Map<string, AuthenticatorRecord>();
  const votes = group.people.map(({ user, id }, index): VoteRecord => {
    const userId = id ?? personId(index);
    const credentialId = `key of ${userId}`;
    users.set(userId, user);
    if (group.byPasskey) authenticators.set(credentialId, passkeyOf(userId));
    else
      apiKeys.set(credentialId, {
        ...dates,
        userId,
        apiKeyName: 'imagined',
        publicKey: '',
        curve: 'API_KEY_CURVE_P256',
        type: API_KEY,
      });
    return {
      id: `vote ${index}`,
      userId,
      userName: user.userName,
      credentialId,
      selection: 'VOTE_SELECTION_APPROVED',
      message: '',
      publicKey: '',
      signature: '',
      scheme: '',
      createdAtMs: nowMs,
    };
  });
  return { users, apiKeys, authenticators, votes };
}

function passkeyOf(userId: string): AuthenticatorRecord {
  return {
    userId,
    authenticatorName: 'imagined',
    credentialId: '',
    publicKey: '',
    rpId: '',
    counter: 0,
    aaguid: '',
    attestationType: '',
    model: '',
    transports: [],
    createdAtMs: 0,
    updatedAtMs: 0,
  };
}
