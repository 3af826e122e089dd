import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireTags } from '../tags.ts';
import { touchedByChange } from '../touches.ts';
import { changeUser, expectedUser } from './change-user.ts';
import { endMailTo, withContact } from './update-user-contact.ts';

export const updateUser = execute(activities.updateUser, {
  locksOrganization: true,

  contextChange({ organization }, { userId, userName, userEmail, userTagIds }) {
    const user = organization.users.get(userId);
    return user && { users: new Map([[userId, expectedUser(user, { userName, userEmail, userTags: userTagIds })]]) };
  },

  async plan({ organization }, params) {
    const { userId, userName, userEmail, userPhoneNumber, userTagIds } = params;
    const changed = changeUser(organization, userId, {
      ...(userName !== undefined && { userName }),
      ...(userTagIds !== undefined && { userTags: userTagIds }),
    });
    if (userTagIds !== undefined) requireTags(organization, 'userTag', userTagIds, 'userTagIds');
    const contacts = { ...(userEmail !== undefined && { userEmail }), ...(userPhoneNumber !== undefined && { userPhoneNumber }) };
    const touches = touchedByChange(userId, changeUser(organization, userId, {}), { ...changed, ...contacts });
    // SECURITY: an absent list keeps the tags, and an empty one removes them. Policies see the resulting tags.
    const parameters = () => ({ userTagIds: changed.userTags });
    return { intent: params, subject: { touches, parameters }, prepared: { userId, changed, ...contacts } };
  },

  async run(context, { prepared: { userId, changed, userEmail, userPhoneNumber } }) {
    let user = changed;
    if (userEmail !== undefined) user = withContact(context, userId, user, 'OTP_TYPE_EMAIL', userEmail, false);
    if (userPhoneNumber !== undefined) user = withContact(context, userId, user, 'OTP_TYPE_SMS', userPhoneNumber, false);
    const { organization, nowMs } = context;
    const body = { ...user, updatedAtMs: nowMs };
    const ended = endMailTo(organization, userId, user, nowMs);
    return { result: { userId }, changes: [{ op: 'putRecord', kind: 'user', id: userId, body }, ...ended] };
  },
});
