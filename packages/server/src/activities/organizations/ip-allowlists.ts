import { type IpAllowlistRuleParams, ServiceError } from '@countersign/contract';
import type { Touch } from '@countersign/judgement';
import { type IpAllowlists, isAdmitted } from '../../auth/ip-allowlist.ts';
import { showIpAddress } from '../../network/ip-address.ts';
import { CidrError, parseCidr, showIpBlock } from '../../network/ip-blocks.ts';
import type { IpAllowlistRecord, IpAllowlistRule } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import { CallerRefused } from '../../pipeline/errors.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { firstRepeated, invalidField } from '../../wire/refuse.ts';

/** Lists are for organizations that stand by themselves: a sub-organization has none. */
export function requireTopLevel({ profile: { parentId } }: Snapshot): void {
  if (parentId === null) return;
  throw new ServiceError(
    'ACTIVITY_CALLER_INVALID',
    'invalid activity caller: only a top-level organization has IP allowlists. The list of the parent governs the parent’s own credentials, also where they act here.',
  );
}

/**
 * What a change of a list touches. The list of one API key is a part of that key: without it a stolen key works from everywhere, with
 * another the key of its owner works nowhere. `id` is the list's id, which is that of the key.
 */
export function touchedByList({ apiKeys }: Snapshot, id: string): Touch[] {
  const owner = apiKeys.get(id)?.userId;
  return owner === undefined ? [] : [{ what: 'API_KEY', userId: owner }];
}

/** Reads rules into their canonical form; a rule that `before` has already keeps its date. `forKey` where they govern one API key. */
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
  } catch (fault) {
    if (fault instanceof CidrError) throw invalidField(field, fault.message, { cause: fault });
    throw fault;
  }
}

/**
 * Refuses a change after which the request that brings it about could not be made again. `list` is what becomes of the list `id`,
 * undefined where it is removed.
 */
export function requireNoLockOut(
  context: Pick<PlanContext, 'organization' | 'requester'>,
  id: string,
  list: IpAllowlistRecord | undefined,
): void {
  const others = [...context.organization.records.ipAllowlist].filter(([other]) => other !== id);
  requireAdmittedBy(new Map(list === undefined ? others : [...others, [id, list]]), context);
}

/** Refuses a change that leaves these lists, where the request that brings it about could not be made again from its address. */
export function requireAdmittedBy(lists: IpAllowlists, { requester }: Pick<PlanContext, 'requester'>): void {
  if (requester === undefined || isAdmitted(lists, requester)) return;
  const address = requester.clientAddress();
  const where = address === undefined ? 'an address that cannot be told' : showIpAddress(address);
  throw new CallerRefused(
    'PRECONDITION_FAILED',
    `This would shut out the very credential and address that ask for it (${where}). Nothing was changed. Allow the address too, or have it done by somebody who stays allowed.`,
  );
}
