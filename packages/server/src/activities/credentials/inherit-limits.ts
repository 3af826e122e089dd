import { type ApiKeyParams, ServiceError } from '@countersign/contract';
import { type InheritedLimits, inheritedSeconds, type StrengthName } from '@countersign/judgement';
import { intersectBlocks, parseCidr, showIpBlock } from '../../network/ip-blocks.ts';
import type { IpAllowlistRecord } from '../../organizations/records.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';

/**
 * Shortens the lifetimes of API keys to the inherited end. A key without a lifetime gets one.
 * D282: a longer lifetime is shortened and not rejected, because clients send their defaults.
 */
export function withInheritedEnd<K extends Pick<ApiKeyParams, 'expirationSeconds'>>(
  keys: readonly K[],
  limits: InheritedLimits,
  nowMs: number,
): readonly K[] {
  if (limits.endsAtMs === undefined) return keys;
  return keys.map((key) => {
    const expirationSeconds = inheritedSeconds(key.expirationSeconds, limits, nowMs);
    if (expirationSeconds === '0')
      throw new ServiceError(
        'PRECONDITION_FAILED',
        'The credential that asked for the API key has ended, or ends within a second. Use another credential.',
      );
    return { ...key, ...(expirationSeconds !== undefined && { expirationSeconds }) };
  });
}

/** Describes the limits that new API keys got, for the activity. `asked` are the keys of the request. */
export function inheritanceWarnings(
  asked: readonly Pick<ApiKeyParams, 'expirationSeconds'>[],
  added: readonly { readonly apiKeyName: string; readonly expirationSeconds?: string | undefined }[],
  { limitedTo }: InheritedLimits,
  list: IpAllowlistRecord | undefined,
): string[] {
  const shortened = added.filter(({ expirationSeconds }, index) => expirationSeconds !== asked[index]?.expirationSeconds);
  const from =
    'the credential that created it. Use a passkey, a credential without this limit, or the approval of another person.';
  return [
    ...shortened.map(
      ({ apiKeyName, expirationSeconds }) =>
        `The API key "${apiKeyName}" expires after ${expirationSeconds} seconds, with ${from}`,
    ),
    ...(limitedTo ? [`New API keys have the scope of the session profile "${limitedTo.sessionProfileName}", like ${from}`] : []),
    ...(list ? [`New API keys have the IP allowlist of ${from}`] : []),
  ];
}

/**
 * The IP allowlist that a new API key gets: the addresses that all inherited lists allow. Undefined if there is none.
 * SECURITY: D282: the list is a copy. A reference would end with the key that has the list, and its holder can delete that key.
 */
export function inheritedList(
  { records: { ipAllowlist } }: Pick<Snapshot, 'records'>,
  { listsOf }: InheritedLimits,
  nowMs: number,
): IpAllowlistRecord | undefined {
  const lists = listsOf.map((id) => ipAllowlist.get(id)).filter((list) => list !== undefined);
  const [first, ...others] = lists;
  if (first === undefined) return undefined;
  const blocksOf = ({ rules }: IpAllowlistRecord) => rules.map(({ cidr }) => parseCidr(cidr));
  const blocks = others.reduce((left, list) => intersectBlocks(left, blocksOf(list)), blocksOf(first));
  return {
    rules: blocks.map((block) => ({ cidr: showIpBlock(block), createdAtMs: nowMs })),
    onEvaluationError: lists.every(({ onEvaluationError }) => onEvaluationError === 'ALLOW') ? 'ALLOW' : 'DENY',
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

/** The changes that give new API keys a list. */
export function putLists(apiKeyIds: readonly string[], list: IpAllowlistRecord | undefined): LocalChange[] {
  return list === undefined ? [] : apiKeyIds.map((id) => ({ op: 'putRecord', kind: 'ipAllowlist', id, body: list }));
}

/**
 * The strength that is needed to give a user another way to sign in. Sessions that it opens have no end, IP allowlist or scope of the
 * credential that submits the request, so a limited one is not enough. Empty if no limit would be lost.
 * SECURITY: D375: otherwise an expiring API key links an identity of its thief, who signs in with that after the key has ended.
 */
export function strengthToSignIn(
  { organization, nowMs, inheritedBy }: Pick<PlanContext, 'organization' | 'nowMs' | 'inheritedBy'>,
  userId: string,
): { readonly strength?: StrengthName } {
  const limits = inheritedBy(userId);
  const isLimited = limits.endsAtMs !== undefined || limits.limitedTo !== undefined;
  return isLimited || inheritedList(organization, limits, nowMs) !== undefined ? { strength: 'PASSKEY' } : {};
}
