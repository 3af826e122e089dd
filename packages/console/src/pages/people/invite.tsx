import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { useSession } from '../../session/context.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { PickList } from '../../ui/pick-list.tsx';
import { words } from '../../words/index.ts';
import type { Organization } from './types.ts';

const texts = words.people;

export function Invite({ tags, onClose }: { tags: Organization['tags']; onClose(): void }) {
  const { userId: senderUserId } = useSession();
  const [receiverUserName, setName] = useState('');
  const [receiverUserEmail, setEmail] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const invite = useSubmit('createInvitations', { done: texts.invited, onSent: onClose });
  const errors = fieldErrors(invite.error);
  const userTags = tags.filter(({ tagType }) => tagType === 'TAG_TYPE_USER');
  return (
    <FormDialog
      title={texts.inviteTitle}
      text={texts.inviteText}
      action={texts.invite}
      isUnfinished={receiverUserName.trim() === '' || receiverUserEmail.trim() === ''}
      isBusy={invite.isPending}
      onSubmit={() =>
        invite.mutate({
          invitations: [
            {
              receiverUserName: receiverUserName.trim(),
              receiverUserEmail: receiverUserEmail.trim(),
              receiverUserTags: [...chosen],
              accessType: 'ACCESS_TYPE_WEB',
              senderUserId,
            },
          ],
        })
      }
      onClose={onClose}
    >
      <TextField
        label={texts.inviteName}
        value={receiverUserName}
        onChange={setName}
        error={errors['invitations.0.receiverUserName']}
      />
      <TextField
        label={texts.inviteMail}
        type="email"
        value={receiverUserEmail}
        onChange={setEmail}
        error={errors['invitations.0.receiverUserEmail']}
      />
      {userTags.length > 0 && (
        <PickList
          label={texts.tags}
          options={userTags.map(({ tagId, tagName }) => ({ value: tagId, label: tagName }))}
          chosen={chosen}
          onChange={setChosen}
        />
      )}
    </FormDialog>
  );
}
