import { useMemo, useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import type { SubmittedName } from '../../data/submitted-name.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Code } from '../../ui/copy.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Name } from '../../ui/name.tsx';
import { Section } from '../../ui/page.tsx';
import { PickList } from '../../ui/pick-list.tsx';
import { RowActions } from '../../ui/row-actions.tsx';
import { words } from '../../words/index.ts';

const texts = words.people;
/** Maximum number of members shown per tag. */
const NAMED = 5;

export interface Tag {
  readonly tagId: string;
  readonly tagName: string;
}

/** A user or key that can have tags. */
export interface Tagged {
  readonly id: string;
  readonly name: string;
  readonly tagIds: readonly string[];
}

/** Actions on the tags of one kind. */
export interface TagActions {
  create(name: string, ids: readonly string[]): void;
  /** `name` is set if it changes. */
  update(tagId: string, change: { readonly name?: string; readonly added: string[]; readonly removed: string[] }): void;
  remove(tagId: string): void;
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Parameter fields that contain the name. */
  readonly nameFields: readonly string[];
}

interface TagSectionProps {
  readonly title: string;
  readonly lead: string;
  readonly tags: readonly Tag[];
  readonly all: readonly Tagged[];
  /** Heading of the member list. */
  readonly whoLabel: string;
  /** Hook that returns the actions. Each submitted action calls `onSent`. */
  readonly useActions: (onSent: () => void) => TagActions;
  /** The activities of these actions. */
  readonly submits: Readonly<Record<'create' | 'update' | 'remove', SubmittedName>>;
}

/** Tags of users or keys, which policies refer to. */
export function TagSection({ title, lead, tags, all, whoLabel, useActions, submits }: TagSectionProps) {
  const [editing, setEditing] = useState<Tag | 'new'>();
  const [removing, setRemoving] = useState<Tag>();
  const names = useMemo(() => namesByTag(all), [all]);
  return (
    <Section
      title={title}
      lead={lead}
      action={
        <ActionButton submits={submits.create} icon="plus" onClick={() => setEditing('new')}>
          {texts.newTag}
        </ActionButton>
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
            <RowActions>
              <ActionButton submits={submits.update} look="quiet" onClick={() => setEditing(tag)}>
                {texts.quorumEdit}
              </ActionButton>
              <ActionButton submits={submits.remove} look="quiet" onClick={() => setRemoving(tag)}>
                {words.common.remove}
              </ActionButton>
            </RowActions>
          </li>
        ))}
        {tags.length === 0 && <li className="px-4 py-3 text-quiet">{texts.noTags}</li>}
      </ul>
      {editing && (
        <EditTag
          tag={editing === 'new' ? undefined : editing}
          all={all}
          whoLabel={whoLabel}
          useActions={useActions}
          onClose={() => setEditing(undefined)}
        />
      )}
      {removing && <RemoveTag tag={removing} useActions={useActions} onClose={() => setRemoving(undefined)} />}
    </Section>
  );
}

interface RemoveTagProps extends Pick<TagSectionProps, 'useActions'> {
  readonly tag: Tag;
  onClose(): void;
}

function RemoveTag({ tag, useActions, onClose }: RemoveTagProps) {
  const actions = useActions(onClose);
  return (
    <Confirm
      title={texts.tagRemoveTitle}
      text={texts.tagRemoveText}
      word={tag.tagName}
      action={words.common.remove}
      busy={actions.isBusy}
      onConfirm={() => actions.remove(tag.tagId)}
      onClose={onClose}
    />
  );
}

function namesByTag(all: readonly Tagged[]): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const { name, tagIds } of all) {
    for (const tagId of tagIds) {
      const known = names.get(tagId);
      if (known === undefined) names.set(tagId, [name]);
      else known.push(name);
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
        // biome-ignore lint/suspicious/noArrayIndexKey: names are not unique
        <span key={index}>
          {index > 0 && ', '}
          <Name text={name} />
        </span>
      ))}
      {more > 0 && ` ${words.common.andMore(more)}`}
    </span>
  );
}

interface EditTagProps extends Pick<TagSectionProps, 'all' | 'whoLabel' | 'useActions'> {
  readonly tag: Tag | undefined;
  onClose(): void;
}

function EditTag({ tag, all, whoLabel, useActions, onClose }: EditTagProps) {
  const actions = useActions(onClose);
  const before = tag === undefined ? [] : all.filter(({ tagIds }) => tagIds.includes(tag.tagId)).map(({ id }) => id);
  const [name, setName] = useState(tag?.tagName ?? '');
  const [chosen, setChosen] = useState<readonly string[]>(before);
  const errors = fieldErrors(actions.error);
  const given = name.trim();
  const save = () => {
    if (tag === undefined) return actions.create(given, chosen);
    return actions.update(tag.tagId, {
      added: chosen.filter((id) => !before.includes(id)),
      removed: before.filter((id) => !chosen.includes(id)),
      ...(given !== tag.tagName && { name: given }),
    });
  };
  return (
    <FormDialog
      title={tag?.tagName ?? texts.newTag}
      action={words.common.save}
      isUnfinished={given === ''}
      isBusy={actions.isBusy}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label={texts.tagName}
        value={name}
        onChange={setName}
        error={actions.nameFields.map((field) => errors[field]).find((text) => text !== undefined)}
      />
      <PickList
        label={whoLabel}
        options={all.map(({ id, name: label }) => ({ value: id, label }))}
        chosen={chosen}
        onChange={setChosen}
      />
    </FormDialog>
  );
}
