import type { Client } from '@countersign/client';
import { useState } from 'react';
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

const said = words.wallets.keyTags;
type Tag = Awaited<ReturnType<Client['listPrivateKeyTags']>>['privateKeyTags'][number];
type PrivateKey = Awaited<ReturnType<Client['listPrivateKeys']>>['privateKeys'][number];

interface KeyTagsProps {
  tags: readonly Tag[];
  privateKeys: readonly PrivateKey[];
}

/** Tags of private keys: policies name them. */
export function KeyTags({ tags, privateKeys }: KeyTagsProps) {
  const [editing, setEditing] = useState<Tag | 'new'>();
  const [removing, setRemoving] = useState<Tag>();
  const remove = useSubmit('deletePrivateKeyTags', { done: words.people.tagRemoved, onSent: () => setRemoving(undefined) });
  return (
    <Section
      title={said.title}
      lead={said.lead}
      action={
        <Button icon="plus" onClick={() => setEditing('new')}>
          {words.people.newTag}
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
              <span className="text-quiet">
                {said.count(privateKeys.filter(({ privateKeyTags }) => privateKeyTags.includes(tag.tagId)).length)}
              </span>
              <span className="block text-sm text-quiet">
                <Code text={tag.tagId} what={words.common.id} />
              </span>
            </span>
            <Button look="quiet" onClick={() => setEditing(tag)}>
              {words.people.quorumEdit}
            </Button>
            <Button look="quiet" onClick={() => setRemoving(tag)}>
              {words.common.remove}
            </Button>
          </li>
        ))}
        {tags.length === 0 && <li className="px-4 py-3 text-quiet">{words.people.noTags}</li>}
      </ul>
      {editing && (
        <EditKeyTag
          tag={editing === 'new' ? undefined : editing}
          privateKeys={privateKeys}
          onClose={() => setEditing(undefined)}
        />
      )}
      {removing && (
        <Confirm
          title={words.people.tagRemoveTitle}
          text={words.people.tagRemoveText}
          word={removing.tagName}
          action={words.common.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ privateKeyTagIds: [removing.tagId] })}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </Section>
  );
}

function EditKeyTag({
  tag,
  privateKeys,
  onClose,
}: { tag: Tag | undefined; onClose(): void } & Pick<KeyTagsProps, 'privateKeys'>) {
  const before =
    tag === undefined
      ? []
      : privateKeys.filter(({ privateKeyTags }) => privateKeyTags.includes(tag.tagId)).map(({ privateKeyId }) => privateKeyId);
  const [name, setName] = useState(tag?.tagName ?? '');
  const [chosen, setChosen] = useState<readonly string[]>(before);
  const create = useSubmit('createPrivateKeyTag', { done: words.people.tagMade, onSent: onClose });
  const update = useSubmit('updatePrivateKeyTag', { done: words.people.tagChanged, onSent: onClose });
  const errors = fieldErrors(create.error ?? update.error);
  const save = () => {
    if (tag === undefined) return create.mutate({ privateKeyTagName: name.trim(), privateKeyIds: [...chosen] });
    return update.mutate({
      privateKeyTagId: tag.tagId,
      addPrivateKeyIds: chosen.filter((id) => !before.includes(id)),
      removePrivateKeyIds: before.filter((id) => !chosen.includes(id)),
      ...(name.trim() !== tag.tagName && { newPrivateKeyTagName: name.trim() }),
    });
  };
  return (
    <FormDialog
      title={tag?.tagName ?? words.people.newTag}
      action={words.common.save}
      isUnfinished={name.trim() === ''}
      isBusy={create.isPending || update.isPending}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label={words.people.tagName}
        value={name}
        onChange={setName}
        error={errors.privateKeyTagName ?? errors.newPrivateKeyTagName}
      />
      <PickList
        label={said.keys}
        options={privateKeys.map(({ privateKeyId, privateKeyName }) => ({ value: privateKeyId, label: privateKeyName }))}
        chosen={chosen}
        onChange={setChosen}
      />
    </FormDialog>
  );
}
