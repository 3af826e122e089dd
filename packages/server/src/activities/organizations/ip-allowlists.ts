import { type IpAllowlistRuleParams, ServiceError } from '@countersign/contract';
import type { Touch } from '@countersign/judgement';
import { type IpAllowlists, isAdmitted } from '../../auth/ip-allowlist.ts';
import { showIpAddress } from '../../network/ip-address.ts';
import { CidrError, parseCidr, showIpBlock } from '../../network/ip-blocks.ts';
import type { IpAllowlistRecord, IpAllowlistRule } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { CallerRefused } from '../../pipeline/errors.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { firstRepeated, invalidField } from '../../wire/refuse.ts';

/** Throws if the organization is a sub-organization, which has no IP allowlists. */
export function requireTopLevel({ profile: { parentId } }: Snapshot): void {
  if (parentId === null) return;
  throw new ServiceError(
    'ACTIVITY_CALLER_INVALID',
    'invalid activity caller: only a top-level organization has IP allowlists. The list of the parent applies to the parent’s credentials, also when they act here.',
  );
}

/**
 * Touches of a change of an allowlist. The allowlist of an API key is part of that key: without it, a stolen key works from any address;
 * with a wrong one, the user cannot use the key at all. `id` is the id of the allowlist, which equals the id of the key.
 */
export function touchedByList({ apiKeys }: Snapshot, id: string): Touch[] {
  const owner = apiKeys.get(id)?.userId;
  return owner === undefined ? [] : [{ what: 'API_KEY', userId: owner }];
}

/**
 * Reads rules into their canonical form. Rules that are in `before` keep their date. `forKey` means that the rules apply to one API key.
 */
export function readRules(
  rules: readonly IpAllowlistRuleParams[],
  before: IpAllowlistRecord | undefined,
  forKey: boolean,
  nowMs: number,
): IpAllowlistRule[] {
  const read = rules.map(({ cidr: text, label }, index): IpAllowlistRule => {
    const cidr = readBlock(text, `rules.${index}.cidr`, forKey);
    const createdAtMs = before?.rules.find((rule) => rule.cidr === cidr)?.createdAtMs ?? nowMs;
    return { cidr, ...(label !== undefined && { label }), createdAtMs };
  });
  const repeated = firstRepeated(read.map(({ cidr }) => cidr));
  if (repeated !== undefined) throw invalidField(`rules.${repeated}.cidr`, 'repeats a block of this list');
  return read;
}

function readBlock(text: string, field: string, forKey: boolean): string {
  try {
    const block = parseCidr(text);
    if (block.prefix === 0 && !forKey) throw new CidrError('allows every address: disable the list or remove it instead');
    return showIpBlock(block);
  } catch (error) {
    if (error instanceof CidrError) throw invalidField(field, error.message, { cause: error });
    throw error;
  }
}

/**
 * Rejects a change after which the same request could not be made again. `list` is the new list for `id`, or undefined if it is removed.
 */
export function requireNoLockOut(
  context: Pick<PlanContext, 'organization' | 'requester'>,
  id: string,
  list: IpAllowlistRecord | undefined,
): void {
  const others = [...context.organization.records.ipAllowlist].filter(([other]) => other !== id);
  requireAdmittedBy(new Map(list === undefined ? others : [...others, [id, list]]), context);
}

/** Rejects a change to these lists if the requester could not make the request again from the same address. */
export function requireAdmittedBy(lists: IpAllowlists, { requester }: Pick<PlanContext, 'requester'>): void {
  if (requester === undefined || isAdmitted(lists, requester)) return;
  const address = requester.clientAddress();
  const where = address === undefined ? 'an unknown address' : showIpAddress(address);
  throw new CallerRefused(
    'PRECONDITION_FAILED',
    `This would lock out the credential and address of this request (${where}). Nothing was changed. Also allow this address, or let a user submit it who stays allowed.`,
  );
}
