import { activityByType, type FeatureName, quotedReference } from '@countersign/contract';
import { credentialsOfUser, isFreezeActivity, isFrozenUser } from '@countersign/judgement';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import { signInContact } from '../../organizations/contacts.ts';
import { liveSubscriptions } from '../../organizations/live-subscriptions.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';

/** Enables both mails and push messages. */
const FEATURE: FeatureName = 'FEATURE_NAME_APPROVAL_MAIL';
const DEFAULT_MINUTES = 15;
/** Maximum length of a sentence in a mail. The console shows all of it. */
const MAX_SENTENCE = 300;

/** Minimum pause between two mails or pushes to the same user. Undefined if the organization sends none. */
export function approvalMailPauseMs({ profile }: Pick<Snapshot, 'profile'>): number | undefined {
  const feature = profile.features.find(({ name }) => name === FEATURE);
  return feature && Number(feature.value ?? DEFAULT_MINUTES) * 60_000;
}

/**
 * The mail address for approval notices. Undefined unless the user is a person, who signs in with a passkey.
 * SECURITY: anyone may have entered an unverified address. Nothing is sent to it.
 */
export function approvalAddress(organization: Snapshot, userId: string): string | undefined {
  const user = organization.users.get(userId);
  if (user === undefined || !isPerson(organization, userId)) return undefined;
  return signInContact(user, 'OTP_TYPE_EMAIL') === undefined ? undefined : user.userEmail;
}

/** The subscription ids of a user's browsers. Empty unless the user is a person, who signs in with a passkey. */
export function approvalBrowsers(organization: Snapshot, userId: string, nowMs: number): readonly string[] {
  if (!organization.users.has(userId) || !isPerson(organization, userId)) return [];
  return [...liveSubscriptions(organization, userId, nowMs).keys()];
}

const isPerson = ({ authenticators }: Snapshot, userId: string) => credentialsOfUser(authenticators, userId).size > 0;

/**
 * Users whose approval a pending activity needs: they may approve, and have not voted yet.
 * SECURITY: D384: frozen users read no activities, and the decision may be older than the freeze. They are wanted for freezes and unfreezes only.
 */
export function wantedOf(organization: Snapshot, { type, status, decisions, votes }: ActivityRecord): readonly string[] {
  if (status !== 'ACTIVITY_STATUS_CONSENSUS_NEEDED') return [];
  const voted = new Set(votes.map(({ userId }) => userId));
  return (decisions.at(-1)?.mayApprove ?? []).filter(
    (userId) => !voted.has(userId) && (!isFrozenUser(organization, userId) || isAboutFreeze(type)),
  );
}

function isAboutFreeze(type: string): boolean {
  const found = activityByType.get(type);
  return found !== undefined && isFreezeActivity(found.definition);
}

/** Describes a request for humans: who submitted it, and what the service parsed. */
export function sentenceOf(
  { type, votes, parsed }: Pick<ActivityRecord, 'type' | 'votes' | 'parsed'>,
  reference?: string,
): string {
  const asked = parsed?.description ?? activityByType.get(type)?.definition.summary ?? type;
  return `${plainSentence(`${votes[0]?.userName ?? 'Someone'} asks: ${asked}`)}${afterwards(reference)}`;
}

/** What mail programs make a link of, in compatibility form: a name with a dot inside, an address, a path. */
const LINKED = /[:/\\@]|[.\u3002][^\s.]/u;

/**
 * A reference in a message, after the sentence.
 * SECURITY: D969: messages come from the operator's domain. The text is quoted as the requester's, and one that mail programs could make a link
 * of, D1031: also with wide or small forms of these characters, is left out: the console shows it.
 */
function afterwards(reference: string | undefined): string {
  if (reference === undefined || LINKED.test(reference.normalize('NFKC'))) return '';
  return ` Reference, in the words of the requester: ${quotedReference(reference)}`;
}

/** A sentence on one line, without control characters, and shortened. */
export function plainSentence(text: string): string {
  const sentence = text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
    .replace(/[\s\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g, ' ')
    .trim();
  return sentence.length <= MAX_SENTENCE ? sentence : `${sentence.slice(0, MAX_SENTENCE - 1)}…`;
}
