import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { refresh } from '../../data/refresh.ts';
import { writerOf } from '../../data/submit.ts';
import { useSession } from '../../session/context.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/page.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { useToast } from '../../ui/toast.tsx';
import { words } from '../../words/index.ts';
import { readProperties } from './read-properties.ts';

const texts = words.secrets;
const MAX_BYTES = 16_384;

/** Imports a secret. SECURITY: D981: the content is in the memory of this form alone, and encrypted in every request. */
export function ImportSecret({ onClose }: { onClose(): void }) {
  const session = useSession();
  const queries = useQueryClient();
  const showToast = useToast();
  const [name, setName] = useState('');
  const [content, setContent] = useState('');
  const [lines, setLines] = useState('');
  const [isWaiting, setWaiting] = useState(false);
  const read = readProperties(lines);
  const bytes = new TextEncoder().encode(content).length;
  const run = useMutation({
    mutationFn: async () => {
      const [writer, { importSecret }] = await Promise.all([writerOf(session, queries), import('./transfer-secret.ts')]);
      const staticProperties = 'properties' in read ? read.properties : [];
      return importSecret(session, writer, { name: name.trim(), content, staticProperties }, () => setWaiting(true));
    },
    onSuccess(isCompleted) {
      showToast(isCompleted ? 'good' : 'wait', isCompleted ? texts.imported : texts.importPending);
      onClose();
    },
    onSettled: () => refresh(queries),
  });
  const errors = fieldErrors(run.error);
  return (
    <FormDialog
      title={texts.create}
      text={texts.createText}
      action={texts.action}
      isUnfinished={name.trim() === '' || bytes === 0 || bytes > MAX_BYTES || 'wrongLine' in read}
      isBusy={run.isPending}
      onSubmit={() => run.mutate()}
      onClose={onClose}
    >
      <TextField label={texts.name} value={name} onChange={setName} error={errors['secrets.0.name']} />
      <TextArea
        label={texts.content}
        hint={texts.contentHint}
        rows={3}
        mono
        value={content}
        onChange={setContent}
        error={bytes > MAX_BYTES ? texts.contentLong(bytes) : undefined}
      />
      <TextArea
        label={texts.properties}
        optional
        hint={texts.propertiesHint}
        rows={2}
        value={lines}
        onChange={setLines}
        error={'wrongLine' in read ? texts.propertiesWrong(read.wrongLine) : undefined}
      />
      {isWaiting && <Notice tone="wait" title={texts.targetPending} />}
      {run.error && <ErrorMessage error={run.error} />}
    </FormDialog>
  );
}
