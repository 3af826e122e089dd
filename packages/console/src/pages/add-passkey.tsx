import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '../data/errors.ts';
import { useOwnNames } from '../data/own-names.ts';
import { useSubmit } from '../data/submit.ts';
import { useSession } from '../session/context.tsx';
import { makePasskey } from '../session/make-passkey.ts';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useToast } from '../ui/toast.tsx';
import { words } from '../words/index.ts';

const texts = words.me;

/** Adds a passkey. An existing passkey stamps the request. */
export function AddPasskey({ existing, onClose }: { existing: readonly string[]; onClose(): void }) {
  const { organizationId, userId } = useSession();
  const { userName } = useOwnNames();
  const showToast = useToast();
  const [name, setName] = useState('');
  const submit = useSubmit('createAuthenticators', { done: words.common.completed, onSent: onClose });
  const make = useMutation({
    mutationFn: () => makePasskey(name.trim(), { organizationId, userId, userName }, existing),
    onSuccess: (passkey) => submit.mutate({ userId, authenticators: [passkey] }),
    onError: (error) => showToast('bad', messageOf(error)),
  });
  return (
    <FormDialog
      title={texts.addPasskeyTitle}
      text={texts.addPasskeyText}
      isUnfinished={name.trim() === ''}
      isBusy={make.isPending || submit.isPending}
      onSubmit={() => make.mutate()}
      onClose={onClose}
    >
      <TextField label={words.identity.link.passkeyName} hint={words.identity.link.passkeyHint} value={name} onChange={setName} />
    </FormDialog>
  );
}
