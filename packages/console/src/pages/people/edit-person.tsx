import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { DeniedNotice } from '../../ui/action-button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { words } from '../../words/index.ts';
import type { Person } from './types.ts';

const texts = words.people.person;

/** Changes the name and the contact of a person. The removal of the email address or the phone number is a separate activity. */
export function EditPerson({ person, onClose }: { person: Person; onClose(): void }) {
  const { userId } = person;
  const [userName, setName] = useState(person.userName);
  const [userEmail, setEmail] = useState(person.userEmail ?? '');
  const [userPhoneNumber, setPhone] = useState(person.userPhoneNumber ?? '');
  const update = useSubmit('updateUser', { done: texts.saved });
  const email = useSubmit('updateUserEmail', { done: texts.emailRemoved });
  const phone = useSubmit('updateUserPhoneNumber', { done: texts.phoneRemoved });
  const [name, mail, number] = [userName.trim(), userEmail.trim(), userPhoneNumber.trim()];
  const removesEmail = mail === '' && person.userEmail !== undefined;
  const removesPhone = number === '' && person.userPhoneNumber !== undefined;
  const changed = {
    ...(name !== person.userName && { userName: name }),
    ...(mail !== '' && mail !== person.userEmail && { userEmail: mail }),
    ...(number !== '' && number !== person.userPhoneNumber && { userPhoneNumber: number }),
  };
  const isChanged = Object.keys(changed).length > 0;
  const requests = [isChanged, removesEmail, removesPhone].filter((is) => is).length;
  const save = async () => {
    if (isChanged) await update.mutateAsync({ userId, ...changed });
    if (removesEmail) await email.mutateAsync({ userId, userEmail: '' });
    if (removesPhone) await phone.mutateAsync({ userId, userPhoneNumber: '' });
    onClose();
  };
  const errors = { ...fieldErrors(update.error), ...fieldErrors(email.error), ...fieldErrors(phone.error) };
  return (
    <FormDialog
      title={texts.edit}
      action={words.common.save}
      isUnfinished={name === '' || requests === 0}
      isBusy={update.isPending || email.isPending || phone.isPending}
      // An error is shown as a message and at its field, and the form stays open.
      onSubmit={() => void save().catch(() => undefined)}
      onClose={onClose}
    >
      <TextField label={words.common.name} value={userName} onChange={setName} error={errors.userName} />
      <TextField label={texts.email} type="email" optional value={userEmail} onChange={setEmail} error={errors.userEmail} />
      <TextField
        label={texts.phone}
        type="tel"
        optional
        hint={texts.phoneHint}
        value={userPhoneNumber}
        onChange={setPhone}
        error={errors.userPhoneNumber}
      />
      {removesEmail && <DeniedNotice submits="updateUserEmail" />}
      {removesPhone && <DeniedNotice submits="updateUserPhoneNumber" />}
      {requests > 1 && <p className="text-quiet">{texts.requests(requests)}</p>}
    </FormDialog>
  );
}
