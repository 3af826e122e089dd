import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';
import type { Organization } from './types.ts';

const said = words.people;
type Tag = Organization['tags'][number];

export function Tags({ organization }: { organization: Organization }) {
  const [editing, setEditing] = useState<Tag | 'new'>();
  const tags = organization.tags.filter(({ tagType }) => tagType === 'TAG_TYPE_USER');
  return (
    <Section
      title={said.tags}
      lead={said.tagsLead}
      action={
        <Button icon="plus" onClick={() => setEditing('new')}>
          {said.newTag}
        </Button>
      }
    >
      <ul className="card divide-y divide-line">
        {tags.map((tag) => (
          <li key={tag.tagId} className="flex flex-wrap items-center gap-3 px-4 py-2.5">
            <span className="min-w-0 flex-1">
              <span className="font-medium">{tag.tagName}</span>{' '}
              <span className="text-quiet">
                {organization.users
                  .filter(({ userTags }) => userTags.includes(tag.tagId))
                  .map(({ userName }) => userName)
                  .join(', ') || words.common.none}
              </span>
              <span className="block text-sm text-quiet">
                <Code text={tag.tagId} what={words.common.id} />
              </span>
            </span>
            <Button look="quiet" onClick={() => setEditing(tag)}>
              {said.quorumEdit}
            </Button>
          </li>
        ))}
        {tags.length === 0 && <li className="px-4 py-3 text-quiet">{said.noTags}</li>}
      </ul>
      {editing && (
        <EditTag tag={editing === 'new' ? undefined : editing} users={organization.users} onClose={() => setEditing(undefined)} />
      )}
    </Section>
  );
}

function EditTag({ tag, users, onClose }: { tag: Tag | undefined; users: Organization['users']; onClose(): void }) {
  const before =
    tag === undefined ? [] : users.filter(({ userTags }) => userTags.includes(tag.tagId)).map(({ userId }) => userId);
  const [name, setName] = useState(tag?.tagName ?? '');
  const [members, setMembers] = useState<readonly string[]>(before);
  const create = useSubmit('createUserTag', { done: said.tagMade, onSent: onClose });
  const update = useSubmit('updateUserTag', { done: said.tagChanged, onSent: onClose });
  const errors = fieldErrors(create.error ?? update.error);
  const save = () => {
    if (tag === undefined) return create.mutate({ userTagName: name.trim(), userIds: [...members] });
    const addUserIds = members.filter((id) => !before.includes(id));
    const removeUserIds = before.filter((id) => !members.includes(id));
    return update.mutate({
      userTagId: tag.tagId,
      addUserIds,
      removeUserIds,
      ...(name.trim() !== tag.tagName && { newUserTagName: name.trim() }),
    });
  };
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={tag?.tagName ?? said.newTag}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <TextField label={said.tagName} value={name} onChange={setName} error={errors.userTagName ?? errors.newUserTagName} />
        <fieldset className="grid gap-2">
          <legend className="mb-1 text-sm font-medium">{said.tagMembers}</legend>
          {users.map(({ userId, userName }) => (
            <CheckField
              key={userId}
              label={userName}
              checked={members.includes(userId)}
              onChange={(isOn) => setMembers((all) => (isOn ? [...all, userId] : all.filter((each) => each !== userId)))}
            />
          ))}
        </fieldset>
        <Button
          type="submit"
          look="solid"
          icon="passkey"
          busy={create.isPending || update.isPending}
          disabled={name.trim() === ''}
        >
          {words.common.save}
        </Button>
      </form>
    </Dialog>
  );
}
