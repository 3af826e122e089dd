import { AuditError } from '../audit-error.ts';
import type { Kind } from '../state/state.ts';
import type { ActivityName, Done, RuleOf } from './rule.ts';

/** A change that must be there. */
interface Wanted {
  readonly op: 'put' | 'drop';
  readonly kind: Kind;
  readonly id: string;
}

type DoneOf<N extends ActivityName> = Parameters<RuleOf<N>>[1];

const put = (kind: Kind, ids: readonly string[]) => ids.map((id): Wanted => ({ op: 'put', kind, id }));
const drop = (kind: Kind, ids: readonly string[]) => ids.map((id): Wanted => ({ op: 'drop', kind, id }));

/** As many ids as were asked for. Missing ones are ids that no change has. */
const asMany = (ids: readonly string[], asked: readonly unknown[]) => asked.map((_, at) => ids[at] ?? '');

/**
 * Changes that restrictive activities must have made: policies, quorums, MFA and deletions.
 * SECURITY: D128: a service that answers "done" and does nothing would keep a policy from ever counting, or a stolen key alive.
 */
const required: { readonly [N in ActivityName]?: (done: DoneOf<N>) => readonly Wanted[] } = {
  createPolicy: ({ result }) => put('policy', [result.policyId]),
  createPolicies: ({ params, result }) => put('policy', asMany(result.policyIds, params.policies)),
  updatePolicy: ({ params }) => put('policy', [params.policyId]),
  deletePolicy: ({ params }) => drop('policy', [params.policyId]),
  deletePolicies: ({ params }) => drop('policy', params.policyIds),
  createVelocityControl: ({ result }) => put('velocityControl', [result.velocityControlId]),
  updateVelocityControl: ({ params }) => put('velocityControl', [params.velocityControlId]),
  createMfaPolicy: ({ result }) => put('mfaPolicy', [result.mfaPolicyId]),
  updateMfaPolicy: ({ params }) => put('mfaPolicy', [params.mfaPolicyId]),
  updateRootQuorum: ({ state }) => put('organization', [state.id]),
  disablePrivateKey: ({ params: { privateKeyId }, state }) =>
    state.get('privateKey', privateKeyId)?.disabled === true ? [] : put('privateKey', [privateKeyId]),
  freeze: ({ params: { wholeOrganization, userIds = [], walletIds = [], privateKeyIds = [] }, state }) =>
    put(
      'freeze',
      [...(wholeOrganization === true ? [state.id] : []), ...userIds, ...walletIds, ...privateKeyIds].filter(
        (id) => state.get('freeze', id) === undefined,
      ),
    ),
  deleteApiKeys: ({ params }) => drop('apiKey', params.apiKeyIds),
  deleteAuthenticators: ({ params }) => drop('authenticator', params.authenticatorIds),
  deleteOauthProviders: ({ params }) => drop('oauthProvider', params.providerIds),
  // Votes of a deleted user never count, regardless of the credentials.
  deleteUsers: ({ params }) => drop('user', params.userIds),
  deleteUserTags: ({ params }) => drop('userTag', params.userTagIds),
  deletePrivateKeys: ({ params }) => drop('privateKey', params.privateKeyIds),
  deleteWallets: ({ params }) => drop('wallet', params.walletIds),
  deleteWalletAccounts: ({ params }) => drop('walletAccount', params.walletAccountIds),
  deleteContacts: ({ params }) => drop('contact', params.contactIds),
  deleteSecrets: ({ params }) => drop('secret', params.secretIds),
  deleteTokens: ({ params }) => drop('token', params.tokenIds),
};

/** Throws AuditError if an activity was executed and one of these changes is missing. */
export function requireDone(name: string, done: Done): void {
  const wanted = (required as { readonly [name: string]: ((done: Done) => readonly Wanted[]) | undefined })[name]?.(done) ?? [];
  for (const { op, kind, id } of wanted) {
    const isThere = done.changes.some(
      (change) =>
        change.id === id && ('put' in change ? op === 'put' && change.put === kind : op === 'drop' && change.drop === kind),
    );
    if (!isThere) throw new AuditError(`it is completed, but ${kind} ${id} is unchanged`);
  }
}
