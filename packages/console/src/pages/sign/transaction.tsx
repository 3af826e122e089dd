import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { useTokensAndInterfaces } from '../../review/use-check.ts';
import { useSession } from '../../session/context.tsx';
import { ActionButton, DeniedNotice } from '../../ui/action-button.tsx';
import { Code } from '../../ui/copy.tsx';
import { SelectField, TextArea } from '../../ui/field.tsx';
import { Notice } from '../../ui/page.tsx';
import { ReferenceField, referenceError, referenceOption } from '../../ui/reference.tsx';
import { Sentence } from '../../ui/sentence.tsx';
import { words } from '../../words/index.ts';
import { Effects } from '../approvals/effects.tsx';
import { chainName } from '../wallets/chains.ts';
import type { Account } from './account.ts';
import { signableChains } from './signable-chains.ts';
import { Simulation } from './simulation.tsx';

const texts = words.sign;

type TransactionType = ReturnType<typeof signableChains>[number]['transactionType'];

export function SignTransaction({ account }: { account: Account }) {
  const offered = signableChains(account);
  const [type, setType] = useState<TransactionType | undefined>(offered[0]?.transactionType);
  const [text, setText] = useState('');
  const unsigned = useDeferredValue(text.trim());
  const known = useTokensAndInterfaces();
  const { reader } = useSession();
  const reading = useQuery({
    queryKey: ['bench', account.id, type, unsigned, known?.version],
    queryFn: async () => {
      const [{ readTransaction }, { contactsAt }] = await Promise.all([
        import('../../review/read-request.ts'),
        import('../../review/contacts-at.ts'),
      ]);
      const { knowledge } = known as NonNullable<typeof known>;
      const read = (contacts: typeof knowledge.contacts) =>
        readTransaction(type as TransactionType, unsigned, account.signer, { ...knowledge, contacts });
      const nameless = read([]);
      return typeof nameless === 'string' ? nameless : read(await contactsAt(reader, nameless.effects));
    },
    enabled: type !== undefined && unsigned !== '' && known !== undefined,
  }).data;
  const [reference, setReference] = useState('');
  const onSent = () => {
    setText('');
    setReference('');
  };
  const sign = useSubmit('signTransaction', { done: texts.signed, onSent, ...referenceOption(reference) });
  if (type === undefined) return <Notice tone="wait" title={texts.noTransactions(chainName(account.addressFormat))} />;
  const parameters = { signWith: account.address, unsignedTransaction: unsigned, type };
  const isRead = unsigned !== '' && reading !== undefined && typeof reading !== 'string';
  return (
    <form
      className="grid grid-cols-[minmax(0,1fr)] gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        sign.mutate(parameters);
      }}
    >
      <DeniedNotice submits="signTransaction" />
      <SelectField
        label={texts.chain}
        value={type}
        onChange={(value) => setType(value as TransactionType)}
        options={offered.map(({ transactionType, name }) => ({ value: transactionType, label: name }))}
      />
      <TextArea
        label={texts.transaction}
        hint={texts.transactionHint}
        mono
        rows={5}
        value={text}
        onChange={setText}
        error={fieldErrors(sign.error).unsignedTransaction}
      />
      <ReferenceField value={reference} onChange={setReference} />
      {unsigned !== '' && typeof reading === 'string' && (
        <Notice tone="wait" title={texts.unreadable}>
          {reading}
        </Notice>
      )}
      {isRead && (
        <>
          <p className="text-xl leading-snug break-words">
            <Sentence text={escapeInvisible(reading.sentence)} />
          </p>
          <Effects reading={reading} />
          <Simulation type="ACTIVITY_TYPE_SIGN_TRANSACTION_V2" parameters={parameters} />
        </>
      )}
      <div>
        <ActionButton
          submits="signTransaction"
          type="submit"
          look="solid"
          icon="passkey"
          large
          busy={sign.isPending}
          disabled={!isRead || referenceError(reference) !== undefined}
        >
          {texts.submit}
        </ActionButton>
      </div>
      {sign.data?.result && (
        <Notice tone="good" title={texts.signedTransaction}>
          <Code text={sign.data.result.signedTransaction} what={texts.signedTransaction} />
        </Notice>
      )}
    </form>
  );
}
