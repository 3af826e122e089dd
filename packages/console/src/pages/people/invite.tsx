import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { useSession } from '../../session/context.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { words } from '../../words/index.ts';
import type { Organization } from './types.ts';

const said = words.people;

export function Invite({ tags, onClose }: { tags: Organization['tags']; onClose(): void }) {
  const { userId: senderUserId } = useSession();
  const [receiverUserName, setName] = useState('');
  const [receiverUserEmail, setEmail] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const invite = useSubmit('createInvitations', { done: said.invited, onSent: onClose });
  const errors = fieldErrors(invite.error);
  const userTags = tags.filter(({ tagType }) => tagType === 'TAG_TYPE_USER');
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={said.inviteTitle} text={said.inviteText}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
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
          });
        }}
      >
        <TextField
          label={said.inviteName}
          value={receiverUserName}
          onChange={setName}
          error={errors['invitations.0.receiverUserName']}
        />
        <TextField
          label={said.inviteMail}
          type="email"
          value={receiverUserEmail}
          onChange={setEmail}
          error={errors['invitations.0.receiverUserEmail']}
        />
        {userTags.length > 0 && (
          <fieldset className="grid gap-2">
            <legend className="mb-1 text-sm font-medium">{said.tags}</legend>
            {userTags.map(({ tagId, tagName }) => (
              <CheckField
                key={tagId}
                label={tagName}
                checked={chosen.includes(tagId)}
                onChange={(isOn) => setChosen((all) => (isOn ? [...all, tagId] : all.filter((each) => each !== tagId)))}
              />
            ))}
          </fieldset>
        )}
        <Button
          type="submit"
          look="solid"
          icon="passkey"
          busy={invite.isPending}
          disabled={receiverUserName.trim() === '' || receiverUserEmail.trim() === ''}
        >
          {said.invite}
        </Button>
      </form>
    </Dialog>
  );
}
