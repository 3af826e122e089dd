import { useMemo } from 'react';
import { useSubmit } from '../../data/submit.ts';
import { words } from '../../words/index.ts';
import { type TagActions, TagSection } from '../tags/tag-section.tsx';
import type { Organization, Person } from './types.ts';

const texts = words.people;
const submits = { create: 'createUserTag', update: 'updateUserTag', remove: 'deleteUserTags' } as const;

export function Tags({ organization, users }: { organization: Organization; users: readonly Person[] }) {
  const tags = organization.tags.filter(({ tagType }) => tagType === 'TAG_TYPE_USER');
  const all = useMemo(
    () => users.map(({ userId, userName, userTags }) => ({ id: userId, name: userName, tagIds: userTags })),
    [users],
  );
  return (
    <TagSection
      title={texts.tags}
      lead={texts.tagsLead}
      tags={tags}
      all={all}
      whoLabel={texts.tagMembers}
      useActions={useUserTagActions}
      submits={submits}
    />
  );
}

function useUserTagActions(onSent: () => void): TagActions {
  const create = useSubmit('createUserTag', { done: texts.tagMade, onSent });
  const update = useSubmit('updateUserTag', { done: texts.tagChanged, onSent });
  const remove = useSubmit('deleteUserTags', { done: texts.tagRemoved, onSent });
  return {
    create: (userTagName, userIds) => create.mutate({ userTagName, userIds: [...userIds] }),
    update: (userTagId, { name, added, removed }) =>
      update.mutate({
        userTagId,
        addUserIds: added,
        removeUserIds: removed,
        ...(name !== undefined && { newUserTagName: name }),
      }),
    remove: (tagId) => remove.mutate({ userTagIds: [tagId] }),
    isBusy: create.isPending || update.isPending || remove.isPending,
    error: create.error ?? update.error,
    nameFields: ['userTagName', 'newUserTagName'],
  };
}
