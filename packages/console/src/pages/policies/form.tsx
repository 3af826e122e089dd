import { useEffect, useState } from 'react';
import { useServiceQuery } from '../../data/service-query.ts';
import { allContacts, useWholeList } from '../../data/whole-list.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { words } from '../../words/index.ts';
import type { Draft } from './draft.ts';
import { writePolicy } from './write-policy.ts';

const texts = words.policies.form;

/** EVM chains of the form. Policies for other chains are written as text. */
const chains = { '1': 'Ethereum', '8453': 'Base', '42161': 'Arbitrum One', '10': 'OP Mainnet' } as const;

/** A number without separators and spaces. */
const plain = (text: string) => text.replaceAll(',', '').trim();

/** Form for common policies: activities, recipients, amounts, approvals. It generates the policy text. */
export function PolicyForm({ onChange }: { onChange(change: Partial<Draft>): void }) {
  const tags = useServiceQuery('listUserTags', {}).data?.userTags ?? [];
  const contacts = useWholeList(allContacts).data ?? [];
  const [what, setWhat] = useState('payments');
  const [chainId, setChainId] = useState('1');
  const [fee, setFee] = useState('0.02');
  const [receivers, setReceivers] = useState('any');
  const [symbol, setSymbol] = useState('USDC');
  const [most, setMost] = useState('');
  const [approvals, setApprovals] = useState('2');
  const [tagId, setTagId] = useState('');
  const contactTags = [...new Set(contacts.flatMap((contact) => contact.contactTags))].sort();
  const isPayment = what === 'payments';
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text depends only on the answers
  useEffect(() => {
    onChange(
      writePolicy({
        what,
        chainId,
        fee: plain(fee),
        receivers,
        symbol: symbol.trim(),
        most: plain(most),
        approvals: Number(approvals),
        tagId,
      }),
    );
  }, [what, chainId, fee, receivers, symbol, most, approvals, tagId]);
  return (
    <div className="card grid gap-4 p-4 sm:grid-cols-2">
      <SelectField
        label={texts.what}
        value={what}
        onChange={setWhat}
        options={Object.entries(texts.whats).map(([value, label]) => ({ value, label }))}
      />
      {isPayment && (
        <SelectField
          label={texts.receivers}
          value={receivers}
          onChange={setReceivers}
          options={[
            { value: 'any', label: texts.receiversAny },
            { value: 'contacts', label: texts.receiversContacts },
            ...contactTags.map((tag) => ({ value: `tag ${tag}`, label: texts.receiversTag(tag) })),
          ]}
        />
      )}
      {isPayment && (
        <SelectField
          label={texts.chain}
          value={chainId}
          onChange={setChainId}
          options={Object.entries(chains).map(([value, label]) => ({ value, label }))}
        />
      )}
      {isPayment && <TextField label={texts.asset} value={symbol} onChange={setSymbol} />}
      {isPayment && <TextField label={texts.most} hint={texts.mostHint} inputMode="decimal" value={most} onChange={setMost} />}
      {isPayment && <TextField label={texts.fee} hint={texts.mostHint} inputMode="decimal" value={fee} onChange={setFee} />}
      <SelectField
        label={texts.approvals}
        value={approvals}
        onChange={setApprovals}
        options={['1', '2', '3', '4', '5'].map((value) => ({ value, label: value }))}
      />
      <SelectField
        label={texts.ofTag}
        value={tagId}
        onChange={setTagId}
        options={[{ value: '', label: texts.anyTag }, ...tags.map((tag) => ({ value: tag.tagId, label: tag.tagName }))]}
      />
    </div>
  );
}
