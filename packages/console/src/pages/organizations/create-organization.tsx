import { setupLink } from '@countersign/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { refresh } from '../../data/refresh.ts';
import { writerOf } from '../../data/submit.ts';
import { useSession } from '../../session/context.tsx';
import { Code } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/page.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { words } from '../../words/index.ts';

const texts = words.organizations;

/** Creates a sub-organization, and shows the link with which its first person registers a passkey. */
export function CreateOrganization({ onClose }: { onClose(): void }) {
  const session = useSession();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [userName, setUserName] = useState('');
  const [userEmail, setUserEmail] = useState('');
  const [isWaiting, setWaiting] = useState(false);
  const create = useMutation({
    mutationFn: async () => {
      const [writer, { createWithFirstPerson }] = await Promise.all([writerOf(session, queries), import('./first-person.ts')]);
      const person = { name: userName.trim(), email: userEmail.trim() };
      return createWithFirstPerson(session, writer, { name: name.trim(), person }, () => setWaiting(true));
    },
    onSettled: () => refresh(queries),
    // SECURITY: D971: the result contains the key of the link.
    gcTime: 0,
  });
  const errors = fieldErrors(create.error);
  const consoleUrl = new URL('.', document.baseURI).href;
  if (create.data !== undefined)
    return (
      <Dialog open onOpenChange={(open) => !open && onClose()} title={texts.linkTitle(userName.trim())} text={texts.linkText}>
        <Notice tone="wait" title={texts.linkReady}>
          <Code text={setupLink(consoleUrl, create.data)} what={words.people.setupLink} />
        </Notice>
      </Dialog>
    );
  return (
    <FormDialog
      title={texts.create}
      text={texts.createText}
      isUnfinished={[name, userName, userEmail].some((text) => text.trim() === '')}
      isBusy={create.isPending}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <TextField label={texts.name} value={name} onChange={setName} error={errors.subOrganizationName} />
      <TextField label={texts.rootUser} value={userName} onChange={setUserName} error={errors['rootUsers.0.userName']} />
      <TextField
        label={texts.rootMail}
        hint={texts.rootMailHint}
        type="email"
        value={userEmail}
        onChange={setUserEmail}
        error={errors['rootUsers.0.userEmail'] ?? errors['rootUsers.0']}
      />
      {isWaiting && <Notice tone="wait" title={texts.createPending} />}
      {create.error && Object.keys(errors).length === 0 && <ErrorMessage error={create.error} />}
    </FormDialog>
  );
}
