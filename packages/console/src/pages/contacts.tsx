import { useState } from 'react';
import { useAsk } from '../data/ask.ts';
import { fieldErrors } from '../data/errors.ts';
import { useSubmit } from '../data/submit.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Code } from '../ui/copy.tsx';
import { Answer } from '../ui/fault.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Badge, Empty, PageHead } from '../ui/page.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { VirtualList } from '../ui/virtual-list.tsx';
import { words } from '../words/index.ts';
import { CreateToken, Tokens } from './tokens.tsx';

const said = words.contacts;

/** The address book, and the tokens that the organization vouches for. */
export function ContactsPage() {
  const [tab, setTab] = useState('contacts');
  const [isCreating, setCreating] = useState(false);
  const isTokens = tab === 'tokens';
  const close = () => setCreating(false);
  return (
    <>
      <PageHead title={said.title} lead={isTokens ? said.tokensLead : said.lead}>
        <Button look="solid" icon="plus" onClick={() => setCreating(true)}>
          {isTokens ? said.createToken : said.create}
        </Button>
      </PageHead>
      <div className="max-w-sm">
        <Tabs
          label={said.title}
          value={tab}
          onChange={setTab}
          tabs={Object.entries(said.tabs).map(([value, label]) => ({ value, label }))}
        />
      </div>
      {isTokens ? <Tokens /> : <Contacts open={() => setCreating(true)} />}
      {isCreating && (isTokens ? <CreateToken onClose={close} /> : <CreateContact onClose={close} />)}
    </>
  );
}

function Contacts({ open }: { open(): void }) {
  const query = useAsk('listContacts', {});
  const [text, setText] = useState('');
  const [removing, setRemoving] = useState<{ contactId: string; label: string }>();
  const remove = useSubmit('deleteContacts', { done: said.removed, onSent: () => setRemoving(undefined) });
  return (
    <Answer query={query}>
      {({ contacts }) => {
        const wanted = text.trim().toLowerCase();
        const found = contacts.filter(({ label, address, contactTags }) =>
          `${label} ${address} ${contactTags.join(' ')}`.toLowerCase().includes(wanted),
        );
        if (contacts.length === 0) {
          return (
            <Empty icon="contacts" title={said.empty.title} text={said.empty.text}>
              <Button look="solid" icon="plus" onClick={open}>
                {said.create}
              </Button>
            </Empty>
          );
        }
        return (
          <>
            <div className="mb-3 max-w-sm">
              <TextField label={words.common.search} type="search" value={text} onChange={setText} search />
            </div>
            <div className="card overflow-hidden">
              <VirtualList label={said.title} items={found} keyOf={({ contactId }) => contactId} estimate={66}>
                {(contact) => (
                  <div className="flex items-center gap-3 border-b border-line px-4 py-2.5">
                    <span className="min-w-0 flex-1">
                      <span className="flex flex-wrap items-center gap-2 font-medium">
                        {contact.label}
                        {contact.contactTags.map((tag) => (
                          <Badge key={tag}>{tag}</Badge>
                        ))}
                      </span>
                      <Code text={contact.address} what={said.address} />
                    </span>
                    <Button look="quiet" onClick={() => setRemoving(contact)}>
                      {words.common.remove}
                    </Button>
                  </div>
                )}
              </VirtualList>
            </div>
            {removing && (
              <Confirm
                title={said.removeTitle}
                text={said.removeText(removing.label)}
                action={words.common.remove}
                busy={remove.isPending}
                onConfirm={() => remove.mutate({ contactIds: [removing.contactId] })}
                onClose={() => setRemoving(undefined)}
              />
            )}
          </>
        );
      }}
    </Answer>
  );
}

function CreateContact({ onClose }: { onClose(): void }) {
  const [label, setLabel] = useState('');
  const [address, setAddress] = useState('');
  const [tags, setTags] = useState('');
  const [notes, setNotes] = useState('');
  const create = useSubmit('createContacts', { done: said.made, onSent: onClose });
  const errors = fieldErrors(create.error);
  return (
    <FormDialog
      title={said.create}
      isUnfinished={label.trim() === '' || address.trim() === ''}
      isBusy={create.isPending}
      onSubmit={() => {
        const contactTags = tags
          .split(',')
          .map((tag) => tag.trim())
          .filter((tag) => tag !== '');
        create.mutate({
          contacts: [{ label: label.trim(), address: address.trim(), contactTags, ...(notes !== '' && { notes }) }],
        });
      }}
      onClose={onClose}
    >
      <TextField label={said.label} value={label} onChange={setLabel} error={errors['contacts.0.label']} />
      <TextField label={said.address} mono value={address} onChange={setAddress} error={errors['contacts.0.address']} />
      <TextField
        label={said.tags}
        optional
        hint={said.tagsHint}
        value={tags}
        onChange={setTags}
        error={errors['contacts.0.contactTags'] ?? errors['contacts.0.contactTags.0']}
      />
      <TextField label={said.notes} optional value={notes} onChange={setNotes} error={errors['contacts.0.notes']} />
    </FormDialog>
  );
}
