import { activityByType, type FeatureName } from '@countersign/contract';
import { credentialsOfUser } from '@countersign/judgement';
import type { ActivityRecord } from '../organizations/activity-record.ts';
import { signInContact } from '../organizations/contacts.ts';
import { liveSubscriptions } from '../organizations/live-subscriptions.ts';
import type { Snapshot } from '../organizations/snapshot.ts';

/** Turns on both: mails, and messages to browsers. */
const FEATURE: FeatureName = 'FEATURE_NAME_APPROVAL_MAIL';
const DEFAULT_MINUTES = 15;
/** A sentence in a mail. The console shows all of it. */
const MAX_SENTENCE = 300;

/** How long lies between two mails or pushes to the same user, at least. Undefined where the organization sends none. */
export function approvalMailPauseMs({ profile }: Pick<Snapshot, 'profile'>): number | undefined {
  const feature = profile.features.find(({ name }) => name === FEATURE);
  return feature && Number(feature.value ?? DEFAULT_MINUTES) * 60_000;
}

/**
 * The address of a user who is told by mail: of a person, who signs in with a passkey. Undefined for anybody else.
 * SECURITY: anyone may have entered an address that nobody has proven. Nothing is sent there.
 */
export function approvalAddress(organization: Snapshot, userId: string): string | undefined {
  const user = organization.users.get(userId);
  if (user === undefined || !isPerson(organization, userId)) return undefined;
  return signInContact(user, 'OTP_TYPE_EMAIL') === undefined ? undefined : user.userEmail;
}

/** The browsers in which a person is told, by the ids of their subscriptions. None for anybody else. */
export function approvalBrowsers(organization: Snapshot, userId: string, nowMs: number): readonly string[] {
  if (!organization.users.has(userId) || !isPerson(organization, userId)) return [];
  return [...liveSubscriptions(organization, userId, nowMs).keys()];
}

const isPerson = ({ authenticators }: Snapshot, userId: string) => credentialsOfUser(authenticators, userId).size > 0;

/** Those whose approval an activity waits for: who may approve, and has not voted yet. */
export function wantedOf({ status, decisions, votes }: ActivityRecord): readonly string[] {
  if (status !== 'ACTIVITY_STATUS_CONSENSUS_NEEDED') return [];
  const voted = new Set(votes.map(({ userId }) => userId));
  return (decisions.at(-1)?.mayApprove ?? []).filter((userId) => !voted.has(userId));
}

/** What an activity asks for, for people: who asks, and what the service understood of it. */
export function sentenceOf({ type, votes, parsed }: Pick<ActivityRecord, 'type' | 'votes' | 'parsed'>): string {
  const asked = parsed?.description ?? activityByType.get(type)?.definition.summary ?? type;
  const sentence = `${votes[0]?.userName ?? 'Somebody'} asks: ${asked}`
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
    .replace(/[\s\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g, ' ')
    .trim();
  return sentence.length <= MAX_SENTENCE ? sentence : `${sentence.slice(0, MAX_SENTENCE - 1)}…`;
}
