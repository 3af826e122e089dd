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

interface Props {
  value: string;
  onChange(value: string): void;
  contacts: Knowledge['contacts'];
  error: string | undefined;
  network: string;
}

/** A contact by its name, or an address. The whole address is shown in groups, to be compared. */
export function Recipient({ value, onChange, contacts, error, network }: Props) {
  const readReceiver = (text: string) => paymentChainOf(network).readReceiver(text, network);
  const to = readReceiver(value);
  const typed = value.trim().toLowerCase();
  const payable = contacts.flatMap(({ contactId, label, address }) => {
    const found = readReceiver(address);
    return found === undefined ? [] : [{ contactId, label, address: found }];
  });
  const fitting =
    typed === '' || to !== undefined ? [] : payable.filter(({ label }) => label.toLowerCase().includes(typed)).slice(0, OFFERED);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <TextField
        label={texts.recipient}
        hint={texts.recipientHint}
        value={value}
        onChange={onChange}
        error={fitting.length > 0 ? undefined : error}
      />
      {fitting.length > 0 && (
        <fieldset className="flex flex-wrap gap-2">
          <legend className="sr-only">{texts.contacts}</legend>
          {fitting.map(({ contactId, label, address }) => (
            <Button key={contactId} look="quiet" onClick={() => onChange(address)}>
              {label}
            </Button>
          ))}
        </fieldset>
      )}
      {to !== undefined && <Groups address={to} />}
      {to !== undefined && <Resembling to={to} contacts={payable} />}
    </div>
  );
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
  if (alike !== undefined)
    return (
      <Notice tone="bad" role="alert" title={texts.warnings}>
        <FindingList findings={[{ text: words.approvals.unusualWords.lookAlike(label), risk: 'high', lookAlike: alike }]} />
      </Notice>
    );
  return contacts.some(({ address }) => address === to) ? null : <p className="text-sm text-wait">{texts.notContact}</p>;
}
