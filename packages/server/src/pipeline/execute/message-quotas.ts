import { effectiveLimits, type Limits } from '../../config/limits.ts';
import type { Change, OutboxPut } from '../../organizations/snapshot/changes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { Charge } from './daily-quotas.ts';

type Channel = OutboxPut['channel'];

const none: readonly Charge[] = [];

/** The limits of each channel, and the word for its messages in errors. */
const bounds = {
  EMAIL: {
    word: 'mails',
    own: 'maxMails',
    perSubOrganization: 'maxMailsPerSubOrganization',
    ofSubOrganizations: 'maxMailsOfSubOrganizations',
  },
  SMS: {
    word: 'text messages',
    own: 'maxTextMessages',
    perSubOrganization: 'maxTextMessagesPerSubOrganization',
    ofSubOrganizations: 'maxTextMessagesOfSubOrganizations',
  },
} as const satisfies { readonly [C in Channel]: Readonly<Record<string, string>> };

/**
 * The quotas that the messages of an activity count against. Messages sent by a top-level organization and its users, in any organization,
 * count against its own limit. Messages sent by users of a sub-organization count against the limit of that sub-organization, and against a
 * shared limit for all sub-organizations of the parent.
 * SECURITY: the two are separate, so that end users cannot exhaust the quota that the parent needs for sign-ins. And requesting mail to a
 * user through the parent does not use the quota of that user's organization.
 */
export function messageCharges(
  limits: Limits,
  { target, home }: { readonly target: Snapshot; readonly home: Snapshot },
  changes: readonly Change[],
): readonly Charge[] {
  if (changes.length === 0) return none;
  const sent = changes.filter((change) => change.op === 'putOutbox').map(({ channel }) => channel);
  return (Object.keys(bounds) as Channel[]).flatMap((channel) => {
    const amount = sent.filter((each) => each === channel).length;
    return amount === 0 ? [] : chargesOf(limits, target, home, channel, amount);
  });
}

function chargesOf(forAll: Limits, target: Snapshot, home: Snapshot, channel: Channel, amount: number): Charge[] {
  const limits = effectiveLimits(home, forAll);
  const { word, own, perSubOrganization, ofSubOrganizations } = bounds[channel];
  const of = (organizationId: string, name: string, setting: keyof Limits & `max${string}`, what: string): Charge => ({
    organizationId,
    name: `${name}/${channel}`,
    amount,
    limit: { value: limits[setting], setting, what },
  });
  const { parentId } = home.profile;
  if (parentId === null) return [of(home.id, 'messages', own, `${word} of this organization`)];
  return [
    of(target.id, 'messages', perSubOrganization, `${word} sent for the users of a sub-organization`),
    of(parentId, 'messages-of-sub-organizations', ofSubOrganizations, `${word} of all sub-organizations`),
  ];
}
