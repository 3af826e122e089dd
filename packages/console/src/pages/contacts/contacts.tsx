import { useDeferredValue, useState } from 'react';
import { allContacts } from '../../data/lists.ts';
import { useMatchingPages } from '../../data/search-list.ts';
import { useSubmit } from '../../data/submit.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Code } from '../../ui/copy.tsx';
import { TextField } from '../../ui/field.tsx';
import { Name } from '../../ui/name.tsx';
import { Badge, Empty } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { RowActions } from '../../ui/row-actions.tsx';
import { TabbedPage } from '../../ui/tabbed-page.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { words } from '../../words/index.ts';
import { type Contact, EditContact } from './edit-contact.tsx';
import { CreateToken, Tokens } from './tokens.tsx';

const texts = words.contacts;

/** The address book and the organization’s tokens. */
export function ContactsPage() {
  const [tab, setTab] = useState<keyof typeof texts.tabs>('contacts');
  const [isCreating, setCreating] = useState(false);
  const isTokens = tab === 'tokens';
  const close = () => setCreating(false);
  return (
    <>
      <TabbedPage
        title={texts.title}
        lead={isTokens ? texts.tokensLead : texts.lead}
        tabs={texts.tabs}
        tab={tab}
        onTab={setTab}
        actions={
          <ActionButton
            submits={isTokens ? 'createTokens' : 'createContacts'}
            look="solid"
            icon="plus"
            onClick={() => setCreating(true)}
          >
            {isTokens ? texts.createToken : texts.create}
          </ActionButton>
        }
      >
        {isTokens ? <Tokens /> : <Contacts open={() => setCreating(true)} />}
      </TabbedPage>
      {isCreating && (isTokens ? <CreateToken onClose={close} /> : <EditContact onClose={close} />)}
    </>
  );
}

function Contacts({ open }: { open(): void }) {
  const [text, setText] = useState('');
  const { query, more } = useMatchingPages(allContacts, useDeferredValue(text));
  return (
    <QueryView query={query}>
      {(contacts) =>
        contacts.length === 0 && text === '' ? (
          <Empty icon="contacts" title={texts.empty.title} text={texts.empty.text}>
            <ActionButton submits="createContacts" look="solid" icon="plus" onClick={open}>
              {texts.create}
            </ActionButton>
          </Empty>
        ) : (
          <>
            <div className="mb-3 max-w-sm">
              <TextField label={words.common.search} type="search" value={text} onChange={setText} search />
            </div>
            <ContactList contacts={contacts} more={more} />
          </>
        )
      }
    </QueryView>
  );
}

function ContactList({ contacts, more }: { contacts: readonly Contact[]; more: (() => void) | undefined }) {
  const [editing, setEditing] = useState<Contact>();
  const [removed, setRemoved] = useState<Contact>();
  const restore = useSubmit('createContacts', { done: words.common.undone });
  const remove = useSubmit('deleteContacts', {
    done: texts.removed,
    undo: () => {
      if (removed === undefined) return;
      const { label, address, contactTags, notes } = removed;
      restore.mutate({ contacts: [{ label, address, contactTags, ...(notes !== '' && { notes }) }] });
    },
  });
  return (
    <>
      {contacts.length === 0 && <p className="card px-4 py-3 text-quiet">{words.common.nothingFound}</p>}
      <div className="card overflow-hidden">
        <VirtualList label={texts.title} items={contacts} keyOf={({ contactId }) => contactId} estimate={66} more={more}>
          {(contact) => (
            <div className="flex flex-wrap items-center gap-1 border-b border-line px-4 py-2.5">
              <span className="min-w-0 flex-1 basis-72">
                <span className="flex flex-wrap items-center gap-2 font-medium break-words">
                  <Name text={contact.label} />
                  {contact.contactTags.map((tag) => (
                    <Badge key={tag}>{tag}</Badge>
                  ))}
                </span>
                <Code text={contact.address} what={texts.address} />
                <span className="block text-sm text-quiet">{texts.countsOn(contact.networks)}</span>
                {contact.warnings?.map((warning) => (
                  <span key={warning} className="block text-sm text-bad">
                    {warning}
                  </span>
                ))}
              </span>
              <RowActions>
                <ActionButton submits="updateContact" look="quiet" onClick={() => setEditing(contact)}>
                  {words.common.edit}
                </ActionButton>
                <ActionButton
                  submits="deleteContacts"
                  look="quiet"
                  busy={remove.isPending && removed?.contactId === contact.contactId}
                  onClick={() => {
                    setRemoved(contact);
                    remove.mutate({ contactIds: [contact.contactId] });
                  }}
                >
                  {words.common.remove}
                </ActionButton>
              </RowActions>
            </div>
          )}
        </VirtualList>
      </div>
      {editing && <EditContact contact={editing} onClose={() => setEditing(undefined)} />}
    </>
  );
}
