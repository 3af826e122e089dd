import { useMemo, useState } from 'react';
import { allContacts, useLoaded, useWhole } from '../../data/all.ts';
import { useSubmit } from '../../data/submit.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/copy.tsx';
import { Answer } from '../../ui/fault.tsx';
import { TextField } from '../../ui/field.tsx';
import { Name } from '../../ui/name.tsx';
import { Badge, Empty } from '../../ui/page.tsx';
import { RowActions } from '../../ui/row-actions.tsx';
import { TabbedPage } from '../../ui/tabbed-page.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { words } from '../../words/index.ts';
import { type Contact, EditContact } from './edit-contact.tsx';
import { CreateToken, Tokens } from './tokens.tsx';

const said = words.contacts;

/** The address book, and the tokens that the organization vouches for. */
export function ContactsPage() {
  const [tab, setTab] = useState<keyof typeof said.tabs>('contacts');
  const [isCreating, setCreating] = useState(false);
  const isTokens = tab === 'tokens';
  const close = () => setCreating(false);
  return (
    <>
      <TabbedPage
        title={said.title}
        lead={isTokens ? said.tokensLead : said.lead}
        tabs={said.tabs}
        tab={tab}
        onTab={setTab}
        actions={
          <Button look="solid" icon="plus" onClick={() => setCreating(true)}>
            {isTokens ? said.createToken : said.create}
          </Button>
        }
      >
        {isTokens ? <Tokens /> : <Contacts open={() => setCreating(true)} />}
      </TabbedPage>
      {isCreating && (isTokens ? <CreateToken onClose={close} /> : <EditContact onClose={close} />)}
    </>
  );
}

function Contacts({ open }: { open(): void }) {
  const query = useWhole(allContacts);
  const loaded = useLoaded(allContacts);
  if (query.data?.length === 0) {
    return (
      <Empty icon="contacts" title={said.empty.title} text={said.empty.text}>
        <Button look="solid" icon="plus" onClick={open}>
          {said.create}
        </Button>
      </Empty>
    );
  }
  return (
    <Answer query={query} loaded={loaded}>
      {(contacts) => <ContactList contacts={contacts} />}
    </Answer>
  );
}

function ContactList({ contacts }: { contacts: readonly Contact[] }) {
  const [text, setText] = useState('');
  const [editing, setEditing] = useState<Contact>();
  const [removed, setRemoved] = useState<Contact>();
  const restore = useSubmit('createContacts', { done: words.common.undone });
  const remove = useSubmit('deleteContacts', {
    done: said.removed,
    undo: () => {
      if (removed === undefined) return;
      const { label, address, contactTags, notes } = removed;
      restore.mutate({ contacts: [{ label, address, contactTags, ...(notes !== '' && { notes }) }] });
    },
  });
  const found = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    return contacts.filter(({ label, address, contactTags }) =>
      `${label} ${address} ${contactTags.join(' ')}`.toLowerCase().includes(wanted),
    );
  }, [contacts, text]);
  return (
    <>
      <div className="mb-3 max-w-sm">
        <TextField label={words.common.search} type="search" value={text} onChange={setText} search />
      </div>
      {found.length === 0 && <p className="card px-4 py-3 text-quiet">{words.common.nothingFound}</p>}
      <div className="card overflow-hidden">
        <VirtualList label={said.title} items={found} keyOf={({ contactId }) => contactId} estimate={66}>
          {(contact) => (
            <div className="flex flex-wrap items-center gap-1 border-b border-line px-4 py-2.5">
              <span className="min-w-0 flex-1 basis-72">
                <span className="flex flex-wrap items-center gap-2 font-medium break-words">
                  <Name text={contact.label} />
                  {contact.contactTags.map((tag) => (
                    <Badge key={tag}>{tag}</Badge>
                  ))}
                </span>
                <Code text={contact.address} what={said.address} />
              </span>
              <RowActions>
                <Button look="quiet" onClick={() => setEditing(contact)}>
                  {words.common.edit}
                </Button>
                <Button
                  look="quiet"
                  busy={remove.isPending && removed?.contactId === contact.contactId}
                  onClick={() => {
                    setRemoved(contact);
                    remove.mutate({ contactIds: [contact.contactId] });
                  }}
                >
                  {words.common.remove}
                </Button>
              </RowActions>
            </div>
          )}
        </VirtualList>
      </div>
      {editing && <EditContact contact={editing} onClose={() => setEditing(undefined)} />}
    </>
  );
}
