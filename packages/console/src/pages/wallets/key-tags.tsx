import type { Client } from '@countersign/client';
import { useMemo } from 'react';
import { useSubmit } from '../../data/submit.ts';
import { words } from '../../words/index.ts';
import { type Tag, type TagActions, TagSection } from '../tags/tag-section.tsx';

const texts = words.wallets.keyTags;
const submits = { create: 'createPrivateKeyTag', update: 'updatePrivateKeyTag', remove: 'deletePrivateKeyTags' } as const;
type PrivateKey = Awaited<ReturnType<Client['listPrivateKeys']>>['privateKeys'][number];

export function KeyTags({ tags, privateKeys }: { tags: readonly Tag[]; privateKeys: readonly PrivateKey[] }) {
  const all = useMemo(
    () =>
      privateKeys.map(({ privateKeyId, privateKeyName, privateKeyTags }) => ({
        id: privateKeyId,
        name: privateKeyName,
        tagIds: privateKeyTags,
      })),
    [privateKeys],
  );
  return (
    <TagSection
      title={texts.title}
      lead={texts.lead}
      tags={tags}
      all={all}
      whoLabel={texts.keys}
      useActions={useKeyTagActions}
      submits={submits}
    />
  );
}

function useKeyTagActions(onSent: () => void): TagActions {
  const create = useSubmit('createPrivateKeyTag', { done: words.people.tagMade, onSent });
  const update = useSubmit('updatePrivateKeyTag', { done: words.people.tagChanged, onSent });
  const remove = useSubmit('deletePrivateKeyTags', { done: words.people.tagRemoved, onSent });
  return {
    create: (privateKeyTagName, ids) => create.mutate({ privateKeyTagName, privateKeyIds: [...ids] }),
    update: (privateKeyTagId, { name, added, removed }) =>
      update.mutate({
        privateKeyTagId,
        addPrivateKeyIds: added,
        removePrivateKeyIds: removed,
        ...(name !== undefined && { newPrivateKeyTagName: name }),
      }),
    remove: (tagId) => remove.mutate({ privateKeyTagIds: [tagId] }),
    isBusy: create.isPending || update.isPending || remove.isPending,
    error: create.error ?? update.error,
    nameFields: ['privateKeyTagName', 'newPrivateKeyTagName'],
  };
}
