import { createHash } from 'node:crypto';
import type { Activities } from '@countersign/contract';
import { newApiKey } from '../../support/api-key.ts';
import type { Answer, Caller, Json, SubmitChoice } from '../../support/caller.ts';
import { type Member, subOrganizationParams, uniqueName, userParams } from '../../support/world.ts';

/** An organization that one test uses, so that its policies affect no other test. */
export interface Organization {
  readonly id: string;
  /** The root users; the first is `root`. */
  readonly roots: readonly Member[];
  readonly root: Caller;
  /** Users outside of the root quorum, who may do only what a policy allows. */
  readonly members: readonly Member[];
}

export interface OrganizationChoice {
  readonly roots?: number;
  /** How many root users have to approve; 1 by default. */
  readonly threshold?: number;
  readonly members?: number;
}

/** Creates a sub-organization of `parent`'s organization. */
export async function createOrganization(parent: Caller, choice: OrganizationChoice = {}): Promise<Organization> {
  const { roots = 1, threshold = 1, members = 0 } = choice;
  const rootKeys = Array.from({ length: roots }, () => newApiKey());
  const memberKeys = Array.from({ length: members }, () => newApiKey());
  const rootUsers = rootKeys.map((key) => {
    const { userTags: _, ...rootUser } = userParams(key);
    return rootUser;
  });
  const params = subOrganizationParams(rootKeys[0] as (typeof rootKeys)[0], { rootUsers });
  const { subOrganizationId, rootUserIds } = await parent.result('createSubOrganization', params);
  const at = (key: (typeof rootKeys)[0]) => parent.with({ key, organizationId: subOrganizationId });
  const rootMembers = rootKeys.map((key, index) => ({ userId: rootUserIds[index] as string, caller: at(key) }));
  const root = rootMembers[0]?.caller as Caller;
  const userIds: string[] =
    members === 0 ? [] : (await root.result('createUsers', { users: memberKeys.map((key) => userParams(key)) })).userIds;
  if (threshold > 1) await root.result('updateRootQuorum', { threshold, userIds: rootUserIds });
  return {
    id: subOrganizationId,
    roots: rootMembers,
    root,
    members: memberKeys.map((key, index) => ({ userId: userIds[index] as string, caller: at(key) })),
  };
}

/** The member at an index, who must exist. */
export function memberAt({ members }: Pick<Organization, 'members'>, index: number): Member {
  const member = members[index];
  if (member === undefined) throw new Error(`the organization has no member ${index}`);
  return member;
}

/** The parameters of a policy with a unique name. */
export function policyParams(effect: 'ALLOW' | 'DENY', expressions: { condition?: string; consensus?: string } = {}) {
  return { policyName: uniqueName('Policy'), effect: `EFFECT_${effect}`, notes: '', ...expressions };
}

/** Creates a policy as `root` and returns its id. */
export async function createPolicy(
  root: Caller,
  effect: 'ALLOW' | 'DENY',
  expressions: { condition?: string; consensus?: string } = {},
): Promise<string> {
  return (await root.result('createPolicy', policyParams(effect, expressions))).policyId;
}

/** A consensus that one given user satisfies. */
export const userIs = ({ userId }: Member) => `approvers.any(user, user.id == '${userId}')`;

/** A consensus of some of the given users. */
export function someOf(count: number, members: readonly Member[]): string {
  const ids = members.map(({ userId }) => `'${userId}'`).join(', ');
  return `approvers.filter(user, user.id in [${ids}]).count() >= ${count}`;
}

/** The name of the activity that a body submits. */
export function fingerprintOf(body: string): string {
  return `sha256:${createHash('sha256').update(body).digest('hex')}`;
}

/** An activity that waits for approvals. */
export interface Pending {
  readonly id: string;
  readonly body: string;
  readonly path: string;
  readonly fingerprint: string;
}

/** Submits and expects the activity to wait. */
export async function submitPending(
  caller: Caller,
  name: keyof Activities,
  parameters: unknown,
  choice?: SubmitChoice,
): Promise<Pending> {
  const body = caller.submitBody(name, parameters, choice);
  const path = caller.submitPath(name);
  const answer = await caller.send(path, body);
  const { status, id } = answer.body.activity ?? {};
  if (status !== 'ACTIVITY_STATUS_CONSENSUS_NEEDED') throw new Error(`it does not wait: ${JSON.stringify(answer.body)}`);
  return { id, body, path, fingerprint: fingerprintOf(body) };
}

type Voter = Pick<Member, 'caller'>;

export function approve(
  { caller }: Voter,
  { fingerprint }: Pick<Pending, 'fingerprint'>,
  choice?: SubmitChoice,
): Promise<Answer> {
  return caller.submit('approveActivity', { fingerprint }, choice);
}

export function reject({ caller }: Voter, { fingerprint }: Pick<Pending, 'fingerprint'>, choice?: SubmitChoice): Promise<Answer> {
  return caller.submit('rejectActivity', { fingerprint }, choice);
}

/** HTTP status and the activity's status, or the error's code. */
export function outcomeOf({ status, body }: Answer): string {
  return `${status} ${body.activity?.status.replace('ACTIVITY_STATUS_', '') ?? body.errorCode ?? body.turnkeyErrorCode}`;
}

/** An activity with all of its details. */
export async function detailsOf(caller: Caller, activityId: string): Promise<Json> {
  return (await caller.data('getActivity', { activityId })).activity;
}

/** The activity that recorded a refused attempt. Compatible denials by a DENY name it beside the details, which clients compare. */
export function recordedAttempt({ body }: Answer): string | undefined {
  return [...body.details, ...(body.denial ?? [])].find((detail: Json) => detail['@type'] === 'countersign/Activity')?.activityId;
}
