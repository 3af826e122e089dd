import type { Client } from '@countersign/client';
import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { Code } from '../../ui/copy.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { words } from '../../words/index.ts';

const texts = words.contacts;

export type Contact = Awaited<ReturnType<Client['listContacts']>>['contacts'][number];

/** Adds or edits a contact. The address cannot change. */
export function EditContact({ contact, onClose }: { contact?: Contact; onClose(): void }) {
  const [label, setLabel] = useState(contact?.label ?? '');
  const [address, setAddress] = useState(contact?.address ?? '');
  const [tags, setTags] = useState(contact?.contactTags.join(', ') ?? '');
  const [notes, setNotes] = useState(contact?.notes ?? '');
  const create = useSubmit('createContacts', { done: texts.made, onSent: onClose });
  const update = useSubmit('updateContact', { done: texts.changed, onSent: onClose });
  const errors = fieldErrors(create.error ?? update.error);
  const errorOf = (field: string) => errors[`contacts.0.${field}`] ?? errors[field];
  const save = () => {
    const contactTags = tags
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '');
    if (contact !== undefined) update.mutate({ contactId: contact.contactId, label: label.trim(), contactTags, notes });
    else
      create.mutate({
        contacts: [{ label: label.trim(), address: address.trim(), contactTags, ...(notes !== '' && { notes }) }],
      });
  };
  return (
    <FormDialog
      title={contact === undefined ? texts.create : texts.edit}
      {...(contact !== undefined && { action: words.common.save })}
      isUnfinished={label.trim() === '' || address.trim() === ''}
      isBusy={create.isPending || update.isPending}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField label={texts.label} value={label} onChange={setLabel} error={errorOf('label')} />
      {contact === undefined ? (
        <TextField label={texts.address} mono value={address} onChange={setAddress} error={errorOf('address')} />
      ) : (
        <div>
          <p className="text-sm font-medium">{texts.address}</p>
          <Code text={contact.address} what={texts.address} />
          <p className="text-sm text-quiet">{texts.addressStays}</p>
        </div>
      )}
      <TextField
        label={texts.tags}
        optional
        hint={texts.tagsHint}
        value={tags}
        onChange={setTags}
        error={errorOf('contactTags') ?? errorOf('contactTags.0')}
      />
      <TextField label={texts.notes} optional value={notes} onChange={setNotes} error={errorOf('notes')} />
    </FormDialog>
  );
}
