import { useMemo, useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Code } from '../../ui/copy.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Name } from '../../ui/name.tsx';
import { Section } from '../../ui/page.tsx';
import { PickList } from '../../ui/pick-list.tsx';
import { words } from '../../words/index.ts';
import type { Organization, Person } from './types.ts';

const said = words.people;
type Tag = Organization['tags'][number];
/** So many people of a tag are named. */
const NAMED = 5;

export function Tags({ organization, users }: { organization: Organization; users: readonly Person[] }) {
  const [editing, setEditing] = useState<Tag | 'new'>();
  const [removing, setRemoving] = useState<Tag>();
  const remove = useSubmit('deleteUserTags', { done: said.tagRemoved, onSent: () => setRemoving(undefined) });
  const tags = organization.tags.filter(({ tagType }) => tagType === 'TAG_TYPE_USER');
  const names = useMemo(() => namesByTag(users), [users]);
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
          <li key={tag.tagId} className="flex flex-wrap items-center gap-1 px-4 py-2.5">
            <span className="min-w-0 flex-1 basis-48 break-words">
              <span className="font-medium">
                <Name text={tag.tagName} />
              </span>{' '}
              <Members names={names.get(tag.tagId) ?? []} />
              <span className="block text-sm text-quiet">
                <Code text={tag.tagId} what={words.common.id} />
              </span>
            </span>
            <Button look="quiet" onClick={() => setEditing(tag)}>
              {said.quorumEdit}
            </Button>
            <Button look="quiet" onClick={() => setRemoving(tag)}>
              {words.common.remove}
            </Button>
          </li>
        ))}
        {tags.length === 0 && <li className="px-4 py-3 text-quiet">{said.noTags}</li>}
      </ul>
      {editing && <EditTag tag={editing === 'new' ? undefined : editing} users={users} onClose={() => setEditing(undefined)} />}
      {removing && (
        <Confirm
          title={said.tagRemoveTitle}
          text={said.tagRemoveText}
          word={removing.tagName}
          action={words.common.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ userTagIds: [removing.tagId] })}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </Section>
  );
}

function namesByTag(users: readonly Person[]): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const { userName, userTags } of users) {
    for (const tagId of userTags) {
      const known = names.get(tagId);
      if (known === undefined) names.set(tagId, [userName]);
      else known.push(userName);
    }
  }
  return names;
}

function Members({ names }: { names: readonly string[] }) {
  const more = names.length - NAMED;
  return (
    <span className="text-quiet">
      {names.length === 0 && words.common.none}
      {names.slice(0, NAMED).map((name, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two people may have the same name
        <span key={index}>
          {index > 0 && ', '}
          <Name text={name} />
        </span>
      ))}
      {more > 0 && ` ${words.common.andMore(more)}`}
    </span>
  );
}

function EditTag({ tag, users, onClose }: { tag: Tag | undefined; users: readonly Person[]; onClose(): void }) {
  const before =
    tag === undefined ? [] : users.filter(({ userTags }) => userTags.includes(tag.tagId)).map(({ userId }) => userId);
  const [name, setName] = useState(tag?.tagName ?? '');
  const [members, setMembers] = useState<readonly string[]>(before);
  const create = useSubmit('createUserTag', { done: said.tagMade, onSent: onClose });
  const update = useSubmit('updateUserTag', { done: said.tagChanged, onSent: onClose });
  const errors = fieldErrors(create.error ?? update.error);
  const save = () => {
    if (tag === undefined) return create.mutate({ userTagName: name.trim(), userIds: [...members] });
    return update.mutate({
      userTagId: tag.tagId,
      addUserIds: members.filter((id) => !before.includes(id)),
      removeUserIds: before.filter((id) => !members.includes(id)),
      ...(name.trim() !== tag.tagName && { newUserTagName: name.trim() }),
    });
  };
  return (
    <FormDialog
      title={tag?.tagName ?? said.newTag}
      action={words.common.save}
      isUnfinished={name.trim() === ''}
      isBusy={create.isPending || update.isPending}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField label={said.tagName} value={name} onChange={setName} error={errors.userTagName ?? errors.newUserTagName} />
      <PickList
        label={said.tagMembers}
        options={users.map(({ userId, userName }) => ({ value: userId, label: userName }))}
        chosen={members}
        onChange={setMembers}
      />
    </FormDialog>
  );
}
