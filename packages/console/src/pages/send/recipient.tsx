import { comparedStart } from '@countersign/chains';
import { quotedReference } from '@countersign/contract';
import { useDeferredValue } from 'react';
import { useServiceQuery } from '../../data/service-query.ts';
import { lookAlike } from '../../review/look-alike.ts';
import type { Knowledge } from '../../review/types.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';
import { FindingList } from '../approvals/findings.tsx';
import { paymentChainOf } from './payment-chains.ts';

const texts = words.send;
const OFFERED = 5;
/** Characters that a search may have. */
const MOST_MATCHED = 200;

interface Props {
  value: string;
  /** With the contact that the person picked by its name. */
  onChange(value: string, contact?: Knowledge['contacts'][number]): void;
  error: string | undefined;
  network: string;
}

/** A contact by its name, or an address. The whole address is shown in groups, to be compared. */
export function Recipient({ value, onChange, error, network }: Props) {
  const readReceiver = (text: string) => paymentChainOf(network).readReceiver(text, network);
  const to = readReceiver(value);
  const payable = ({ data }: ReturnType<typeof useContacts>) =>
    (data?.contacts ?? []).flatMap((contact) => {
      const found = readReceiver(contact.address);
      return found === undefined ? [] : [{ contact, label: contact.label, address: found }];
    });
  const typed = useDeferredValue(value.trim());
  const named = useContacts(to === undefined ? { matching: typed } : {});
  const own = useContacts(to === undefined ? {} : { addresses: [to] });
  // SECURITY: D803: an address that looks like that of a contact begins as it does.
  const similar = useContacts(to === undefined ? {} : { matching: comparedStart(to) });
  const fitting = to !== undefined || typed === '' ? [] : payable(named).slice(0, OFFERED);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <TextField
        label={texts.recipient}
        hint={texts.recipientHint}
        value={value}
        onChange={(next) => onChange(next)}
        error={fitting.length > 0 ? undefined : error}
      />
      {fitting.length > 0 && (
        <fieldset className="flex flex-wrap gap-2">
          <legend className="sr-only">{texts.contacts}</legend>
          {fitting.map(({ contact, label, address }) => (
            <Button key={contact.contactId} look="quiet" onClick={() => onChange(address, contact)}>
              {label}
            </Button>
          ))}
        </fieldset>
      )}
      {to !== undefined && <Groups address={to} />}
      {to !== undefined && own.data !== undefined && <Resembling to={to} contacts={[...payable(own), ...payable(similar)]} />}
    </div>
  );
}

/** Contacts that the service finds by a part of their name or address, or at an address. Asks nothing without either. */
function useContacts(wanted: { matching?: string; addresses?: string[] }) {
  const { matching, addresses } = wanted;
  const enabled = addresses !== undefined || (matching !== undefined && matching !== '' && matching.length <= MOST_MATCHED);
  return useServiceQuery('listContacts', { ...wanted, paginationOptions: { limit: '100' } }, { enabled });
}

/** An address in groups of four characters. */
function Groups({ address }: { address: string }) {
  return (
    <code className="flex flex-wrap gap-x-2 font-mono text-sm" title={address}>
      {address.match(/^0x|.{1,4}/g)?.map((group, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups of one address have no id
        <span key={at}>{group}</span>
      ))}
    </code>
  );
}

/** Warns about an address that could be mistaken for that of a contact, or that belongs to none. */
function Resembling({ to, contacts }: { to: string; contacts: readonly { label: string; address: string }[] }) {
  const alike = lookAlike(
    to,
    contacts.map(({ address }) => address),
  );
  const label = contacts.find(({ address }) => address === alike?.known)?.label;
  const quoted = label === undefined ? undefined : quotedReference(label);
  if (alike !== undefined)
    return (
      <Notice tone="bad" role="alert" title={texts.warnings}>
        <FindingList findings={[{ text: words.approvals.unusualWords.lookAlike(quoted), risk: 'high', lookAlike: alike }]} />
      </Notice>
    );
  return contacts.some(({ address }) => address === to) ? null : <p className="text-sm text-wait">{texts.notContact}</p>;
}
