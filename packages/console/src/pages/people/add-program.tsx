import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { PickList } from '../../ui/pick-list.tsx';
import { words } from '../../words/index.ts';
import { ApiKeyFields, isKeyUnfinished, KeyFile, keyParams, useKeyDraft } from './new-api-key.tsx';
import type { Organization } from './types.ts';

const texts = words.credentials;

/** Creates a user who has only an API key. */
export function AddProgram({ tags, onClose }: { tags: Organization['tags']; onClose(): void }) {
  const [userName, setName] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [draft, setDraft] = useKeyDraft();
  const [isSent, setSent] = useState(false);
  const create = useSubmit('createApiOnlyUsers', {
    done: texts.programAdded,
    onSent: () => (draft.source === 'here' ? setSent(true) : onClose()),
  });
  const errors = fieldErrors(create.error);
  const userTags = tags.filter(({ tagType }) => tagType === 'TAG_TYPE_USER');
  if (isSent) return <KeyFile title={texts.addProgram} draft={draft} onClose={onClose} />;
  return (
    <FormDialog
      title={texts.addProgram}
      text={texts.addProgramText}
      isUnfinished={userName.trim() === '' || isKeyUnfinished(draft)}
      isBusy={create.isPending}
      onSubmit={() =>
        create.mutate({ apiOnlyUsers: [{ userName: userName.trim(), userTags: [...chosen], apiKeys: [keyParams(draft)] }] })
      }
      onClose={onClose}
    >
      <TextField label={texts.programName} value={userName} onChange={setName} error={errors['apiOnlyUsers.0.userName']} />
      <ApiKeyFields draft={draft} onChange={setDraft} errorOf={(field) => errors[`apiOnlyUsers.0.apiKeys.0.${field}`]} />
      {userTags.length > 0 && (
        <PickList
          label={words.people.tags}
          options={userTags.map(({ tagId, tagName }) => ({ value: tagId, label: tagName }))}
          chosen={chosen}
          onChange={setChosen}
        />
      )}
    </FormDialog>
  );
}
