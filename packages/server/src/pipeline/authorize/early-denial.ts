import { denyEarly as denyUnread } from '@countersign/judgement';
import type { Decision } from '@countersign/policy';
import type { VoteRecord } from '../../organizations/activities/activity-record.ts';
import type { Proposal } from '../context.ts';

/** An activity before its parameters are read. */
type UnreadActivity = Pick<Proposal, 'definition' | 'version' | 'home'> & {
  /** The submitter's vote first. */
  readonly votes: readonly Pick<VoteRecord, 'userId' | 'publicKey'>[];
};

/** Bodies up to this many characters are always planned: that is cheap, and the denial then names the policies that were evaluated. */
export const SHORT_REQUEST = 4096;

/**
 * Denies a long request that nothing can allow to its submitter, before its parameters are read. Returns undefined if something could.
 * SECURITY: D160: reading and planning can check a thousand public keys. A user without rights must not cause that work.
 */
export function denyEarly({ definition, version, home, votes }: UnreadActivity, bodyLength: number): Decision | undefined {
  if (bodyLength <= SHORT_REQUEST) return undefined;
  return denyUnread({ organization: home, votes, definition, type: version.type });
}
