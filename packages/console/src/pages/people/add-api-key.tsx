import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { words } from '../../words/index.ts';
import { ApiKeyFields, isKeyUnfinished, KeyFile, keyParams, useKeyDraft } from './new-api-key.tsx';

const texts = words.credentials;

/** Adds an API key to a person. */
export function AddApiKey({ userId, onClose }: { userId: string; onClose(): void }) {
  const [draft, setDraft] = useKeyDraft();
  const [isSent, setSent] = useState(false);
  const create = useSubmit('createApiKeys', {
    done: texts.keyAdded,
    onSent: () => (draft.source === 'here' ? setSent(true) : onClose()),
  });
  const errors = fieldErrors(create.error);
  if (isSent) return <KeyFile title={texts.addKey} draft={draft} onClose={onClose} />;
  return (
    <FormDialog
      title={texts.addKey}
      text={texts.addKeyText}
      isUnfinished={isKeyUnfinished(draft)}
      isBusy={create.isPending}
      onSubmit={() => create.mutate({ userId, apiKeys: [{ ...keyParams(draft), curveType: draft.curve }] })}
      onClose={onClose}
    >
      <ApiKeyFields draft={draft} onChange={setDraft} errorOf={(field) => errors[`apiKeys.0.${field}`]} anyCurve />
    </FormDialog>
  );
}
