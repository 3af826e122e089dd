import { type ContactState, canonicalEmail, type InvitationRecord } from '@countersign/judgement';
import { isAttestedPasskey, isNamedApiKey } from './credentials.ts';
import {
  type Change,
  type Done,
  difference,
  has,
  hasChangedOnly,
  hasEnded,
  isNew,
  isSessionOfEnded,
  type Rules,
} from './rule.ts';

interface UserParams {
  readonly userName: string;
  readonly userEmail?: string | undefined;
  readonly userPhoneNumber?: string | undefined;
  readonly userTags?: readonly string[] | undefined;
  readonly apiKeys: Parameters<typeof isNamedApiKey>[1];
  readonly authenticators: Parameters<typeof isAttestedPasskey>[1];
  readonly oauthProviders: readonly { readonly providerName: string }[];
}

/** Whether a change is a new user that parameters name, or a credential of one. `ids` are those of the users, in the same order. */
export function isOfNewUser(change: Change, users: readonly UserParams[], ids: readonly string[]): boolean {
  const owner = change.kind === 'user' ? change.id : (change.after as { readonly userId?: string } | undefined)?.userId;
  const params = users[ids.indexOf(owner ?? '')];
  if (params === undefined) return false;
  if (isNew(change, 'user')) {
    const { userName, userEmail, userPhoneNumber, userTags = [] } = params;
    return has(change.after, { userName, userEmail, userPhoneNumber, userTags });
  }
  if (isNew(change, 'oauthProvider'))
    return params.oauthProviders.some(({ providerName }) => providerName === change.after.providerName);
  return isNamedApiKey(change, params.apiKeys, owner) || isAttestedPasskey(change, params.authenticators, owner);
}

/** Whether a new user has a contact that claims to be verified. A new contact cannot be. */
function isVerifiedFromTheStart(change: Change): boolean {
  return isNew(change, 'user') && !has(change.after, { userEmailState: undefined, userPhoneNumberState: undefined });
}

/** Whether an invitation ended in this way: its record says so, or its one-time key is gone. */
function endedInvitation(change: Change, invitationId: string, status: InvitationRecord['status']): boolean {
  if (hasEnded(change, 'apiKey')) return change.before.restrictedTo?.subjectId === invitationId;
  return hasChangedOnly(change, 'invitation', ['status']) && change.id === invitationId && change.after.status === status;
}

/** Whether what was mailed to a user and not used yet ended, because the user has another address now. */
function endedMail(change: Change, userId: string): boolean {
  if (hasEnded(change, 'apiKey')) return change.before.userId === userId && change.before.messageId !== undefined;
  if (!hasChangedOnly(change, 'invitation', ['status'])) return false;
  return change.before.receiverUserId === userId && change.after.status === 'INVITATION_STATUS_REVOKED';
}

type Field = 'userEmail' | 'userPhoneNumber';

/**
 * Whether a contact changed as it was asked for.
 * SECURITY: policies see an address unless it is UNVERIFIED. So nothing but the root quorum, or the user's own proof, makes it more.
 */
function isContact(
  change: Change,
  field: Field,
  { submitterId, by }: Done,
  given: { readonly userId: string; readonly contact: string; readonly proven: boolean },
): boolean {
  const state = `${field}State` as const;
  if (change.kind !== 'user' || change.after === undefined || change.before === undefined) return false;
  if (given.contact === '') return change.after[field] === undefined && change.after[state] === undefined;
  if (change.after[field] !== given.contact) return false;
  const vouched = by === 'ROOT_QUORUM';
  const how: ContactState['how'] =
    given.proven && (vouched || submitterId === given.userId) ? 'CODE' : vouched ? 'QUORUM' : 'UNVERIFIED';
  const before = change.before[field];
  const isSame = before !== undefined && canonicalEmail(before) === canonicalEmail(given.contact);
  const isKept = isSame && has(change.after, { [state]: change.before[state] });
  if (isSame && how === 'UNVERIFIED') return isKept;
  // Releases before this one replaced a proof by a code.
  if (isKept && change.before[state]?.how === 'CODE') return true;
  return change.after[state]?.how === how;
}

function isContactChange(
  change: Change,
  field: Field,
  done: Done,
  { userId, contact, token }: { readonly userId: string; readonly contact: string; readonly token: string | undefined },
): boolean {
  if (endedMail(change, userId)) return true;
  if (change.id !== userId || !hasChangedOnly(change, 'user', [field, `${field}State`])) return false;
  return isContact(change, field, done, { userId, contact, proven: token !== undefined });
}

/** Whether a user of `gaining` got one of these tags, or one of `losing` lost one. */
function isRetagged(change: Change, tagIds: readonly string[], gaining: readonly string[], losing: readonly string[]): boolean {
  if (!hasChangedOnly(change, 'user', ['userTags'])) return false;
  const { id, before, after } = change;
  return difference(before.userTags, after.userTags).every(
    (tag) => tagIds.includes(tag) && (after.userTags.includes(tag) ? gaining : losing).includes(id),
  );
}

export const userRules: Rules<
  | 'createUsers'
  | 'createApiOnlyUsers'
  | 'createInvitations'
  | 'acceptInvitation'
  | 'deleteInvitation'
  | 'createUserTag'
  | 'updateUserTag'
  | 'deleteUserTags'
  | 'deleteUsers'
  | 'updateUser'
  | 'updateUserName'
  | 'updateUserEmail'
  | 'updateUserPhoneNumber'
> = {
  createUsers: (change, { params, result }) =>
    isOfNewUser(change, params.users, result.userIds) && !isVerifiedFromTheStart(change),
  createApiOnlyUsers: (change, { params, result }) =>
    isOfNewUser(
      change,
      params.apiOnlyUsers.map((user) => ({
        ...user,
        apiKeys: user.apiKeys.map((key) => ({ ...key, curveType: 'API_KEY_CURVE_P256' })),
        authenticators: [],
        oauthProviders: [],
      })),
      result.userIds,
    ),
  createInvitations(change, { params: { invitations }, result: { invitationIds }, changes, state }) {
    const invited = changes.flatMap((each) => ('put' in each && each.put === 'invitation' ? [each] : []));
    const userIds = invited.map(({ body }) => body.receiverUserId);
    if (hasEnded(change, 'invitation')) return change.before.status !== 'INVITATION_STATUS_CREATED';
    if (isNew(change, 'apiKey')) {
      const { restrictedTo, userId } = change.after;
      const invitation = invited.find(({ id }) => id === restrictedTo?.subjectId);
      return restrictedTo?.activity === 'acceptInvitation' && userId === invitation?.body.receiverUserId;
    }
    if (isNew(change, 'invitation')) {
      const given = invitations[invitationIds.indexOf(change.id)];
      // SECURITY: an invitation is for a new user. One for an existing user would let the receiver act as that user.
      if (given === undefined || state.get('user', change.after.receiverUserId) !== undefined) return false;
      const { receiverUserEmail: receiverEmail, ...rest } = given;
      return has(change.after, { ...rest, receiverEmail, status: 'INVITATION_STATUS_CREATED' });
    }
    if (!isNew(change, 'user') || !userIds.includes(change.id)) return false;
    return invitations.some(({ receiverUserName: userName, receiverUserEmail: userEmail, receiverUserTags: userTags }) =>
      has(change.after, { userName, userEmail, userTags }),
    );
  },
  acceptInvitation: (change, { params: { invitationId, userId, authenticator }, state }) =>
    (state.get('invitation', invitationId)?.receiverUserId === userId && isAttestedPasskey(change, [authenticator], userId)) ||
    endedInvitation(change, invitationId, 'INVITATION_STATUS_ACCEPTED'),
  deleteInvitation: (change, { params: { invitationId }, state }) =>
    endedInvitation(change, invitationId, 'INVITATION_STATUS_REVOKED') ||
    (hasEnded(change, 'user') && state.get('invitation', invitationId)?.receiverUserId === change.id),
  createUserTag: (change, { params, result }) =>
    (isNew(change, 'userTag') && change.id === result.userTagId && change.after.tagName === params.userTagName) ||
    isRetagged(change, [result.userTagId], params.userIds, []),
  updateUserTag: (change, { params: { userTagId, newUserTagName, addUserIds, removeUserIds } }) =>
    (hasChangedOnly(change, 'userTag', ['tagName']) &&
      change.id === userTagId &&
      change.after.tagName === (newUserTagName ?? change.before.tagName)) ||
    isRetagged(change, [userTagId], addUserIds, removeUserIds),
  deleteUserTags: (change, { params: { userTagIds }, state }) =>
    (hasEnded(change, 'userTag') && userTagIds.includes(change.id)) ||
    isRetagged(change, userTagIds, [], [...state.all('user').keys()]),
  deleteUsers(change, done) {
    const { userIds } = done.params;
    if (hasEnded(change, 'user') || hasEnded(change, 'freeze')) return userIds.includes(change.id);
    if (hasChangedOnly(change, 'invitation', ['status']))
      return userIds.includes(change.before.receiverUserId) && change.after.status === 'INVITATION_STATUS_REVOKED';
    const owned = (['apiKey', 'authenticator', 'oauthProvider', 'mfaPolicy'] as const).some(
      (kind) => hasEnded(change, kind) && userIds.includes((change.before as { readonly userId: string }).userId),
    );
    return owned || isSessionOfEnded(change, done);
  },
  updateUser(change, done) {
    const { userId, userName, userEmail, userPhoneNumber, userTagIds } = done.params;
    if (endedMail(change, userId)) return true;
    const members = ['userName', 'userTags', 'userEmail', 'userEmailState', 'userPhoneNumber', 'userPhoneNumberState'] as const;
    if (change.id !== userId || !hasChangedOnly(change, 'user', members)) return false;
    const { before, after } = change;
    const isSame = (field: Field, contact: string | undefined) =>
      contact === undefined
        ? has(after, { [field]: before[field], [`${field}State`]: before[`${field}State`] })
        : isContact(change, field, done, { userId, contact, proven: false });
    return (
      has(after, { userName: userName ?? before.userName, userTags: userTagIds ?? before.userTags }) &&
      isSame('userEmail', userEmail) &&
      isSame('userPhoneNumber', userPhoneNumber)
    );
  },
  updateUserName: (change, { params: { userId, userName } }) =>
    hasChangedOnly(change, 'user', ['userName']) && change.id === userId && change.after.userName === userName,
  updateUserEmail: (change, done) =>
    isContactChange(change, 'userEmail', done, {
      userId: done.params.userId,
      contact: done.params.userEmail,
      token: done.params.verificationToken,
    }),
  updateUserPhoneNumber: (change, done) =>
    isContactChange(change, 'userPhoneNumber', done, {
      userId: done.params.userId,
      contact: done.params.userPhoneNumber,
      token: done.params.verificationToken,
    }),
};
