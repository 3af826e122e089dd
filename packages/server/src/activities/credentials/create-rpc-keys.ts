import { activities, type RpcKeyParams, rpcProofs, ServiceError } from '@countersign/contract';
import { credentialsOfUser, expired } from '@countersign/judgement';
import { whyNotApiOnly } from '../../auth/api-only-user.ts';
import type { Change } from '../../organizations/snapshot/changes.ts';
import { rpcKeysByPresented, type Taken, takenIn } from '../../organizations/snapshot/indexes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { execute, type PlanContext } from '../../pipeline/plan/executor.ts';
import { invalidField, limitExceeded, notFound } from '../../wire/refuse.ts';
import { inheritanceWarnings, inheritedList, putLists, withInheritedEnd } from './inherit-limits.ts';
import { readApiKeys } from './new-api-keys.ts';
import { removeApiKeys, requireNoLockOutWithout } from './remove-api-keys.ts';

/** The user's RPC keys that have expired. They are removed, so that they do not count. */
function overdue({ apiKeys }: Snapshot, userId: string, nowMs: number): string[] {
  return [...credentialsOfUser(apiKeys, userId)]
    .filter(([, key]) => key.presents !== undefined && expired(key, nowMs))
    .map(([id]) => id);
}

function requireApiOnly({ organization }: PlanContext, userId: string): void {
  if (!organization.users.has(userId)) throw notFound('user', 'userId');
  const why = whyNotApiOnly(organization, userId);
  if (why === undefined) return;
  throw new ServiceError(
    'PRECONDITION_FAILED',
    `This user ${why}. The JSON-RPC endpoint acts for API-only users outside of the root quorum: create one with create_api_only_users, and give it the policies that it needs.`,
    { violations: [{ field: 'userId', description: `This user ${why}.` }] },
  );
}

/** Rejects what two keys would share, and identifiers that do not fit. */
function requireIdentifiers(keys: readonly RpcKeyParams[], taken: Taken, nowMs: number): void {
  for (const [index, { apiKeyName, proof, identifier }] of keys.entries()) {
    const field = `rpcKeys.${index}.identifier`;
    const isCertificate = proof === 'RPC_PROOF_CERTIFICATE';
    if (isCertificate !== (identifier.length === 66))
      throw invalidField(
        field,
        isCertificate
          ? 'must be the compressed P-256 public key of the certificate: 66 hexadecimal digits'
          : 'must be the SHA-256 of the token: 64 hexadecimal digits',
      );
    if (taken.has(identifier))
      throw new ServiceError('CREDENTIAL_TAKEN', 'A token or certificate can belong to only one RPC key of an organization.', {
        violations: [{ field, description: 'It is already registered.' }],
      });
    // A point that is not on the curve, and a key that everyone knows.
    if (isCertificate)
      readApiKeys([{ apiKeyName, publicKey: identifier, curveType: 'API_KEY_CURVE_P256' }], field, new Set(), nowMs);
    taken.add(identifier);
  }
}

export const createRpcKeys = execute(activities.createRpcKeys, {
  locksOrganization: true,

  async plan(context, params) {
    const { organization, limits, nowMs } = context;
    const { userId } = params;
    requireApiOnly(context, userId);
    requireIdentifiers(params.rpcKeys, takenIn(rpcKeysByPresented(organization.apiKeys)), nowMs);
    const over = overdue(organization, userId, nowMs);
    const held = [...credentialsOfUser(organization.apiKeys, userId).values()].filter(({ presents }) => presents !== undefined);
    if (held.length - over.length + params.rpcKeys.length > limits.maxCredentials)
      throw limitExceeded('RPC keys of a user', limits.maxCredentials, 'maxCredentials');
    requireNoLockOutWithout(context, over);
    const inherited = context.inheritedBy(userId);
    return {
      intent: params,
      subject: { touches: [{ what: 'API_KEY', userId }] },
      prepared: { userId, keys: withInheritedEnd(params.rpcKeys, inherited, nowMs), asked: params.rpcKeys, inherited, over },
    };
  },

  async run({ organization, vault, newId, nowMs }, { prepared: { userId, keys, asked, inherited, over } }) {
    const list = inheritedList(organization, inherited, nowMs);
    const { limitedTo } = inherited;
    const made = keys.map(({ identifier: presents }) => ({
      apiKeyId: newId(),
      publicKey: vault.service.rpcKey({ organizationId: organization.id, presents }),
    }));
    const changes: Change[] = [
      ...removeApiKeys(organization, over),
      ...keys.map(({ apiKeyName, proof, identifier, expirationSeconds }, index) => ({
        op: 'putRecord' as const,
        kind: 'apiKey' as const,
        id: made[index]?.apiKeyId as string,
        body: {
          userId,
          apiKeyName,
          publicKey: made[index]?.publicKey as string,
          curve: 'API_KEY_CURVE_P256' as const,
          type: rpcProofs[proof],
          presents: identifier,
          expirationSeconds,
          createdAtMs: nowMs,
          updatedAtMs: nowMs,
          ...(limitedTo && { limitedTo }),
        },
      })),
      ...putLists(
        made.map(({ apiKeyId }) => apiKeyId),
        list,
      ),
    ];
    return { result: { rpcKeys: made }, changes, warnings: inheritanceWarnings(asked, keys, inherited, list) };
  },
});
