import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { ActionButton, DeniedNotice } from '../../ui/action-button.tsx';
import { SelectField, TextArea } from '../../ui/field.tsx';
import { Notice } from '../../ui/page.tsx';
import { ReferenceField, referenceError, referenceOption } from '../../ui/reference.tsx';
import { Value } from '../../ui/value.tsx';
import { words } from '../../words/index.ts';
import type { Account } from './account.ts';
import { Simulation } from './simulation.tsx';

const texts = words.sign;
const hashes = ['HASH_FUNCTION_KECCAK256', 'HASH_FUNCTION_SHA256'] as const;

/** Signs a text. ed25519 keys sign the text without a hash. */
export function SignMessage({ account }: { account: Account }) {
  const isEd25519 = account.curve === 'CURVE_ED25519';
  const [message, setMessage] = useState('');
  const [hash, setHash] = useState<(typeof hashes)[number]>('HASH_FUNCTION_KECCAK256');
  const [reference, setReference] = useState('');
  const onSent = () => {
    setMessage('');
    setReference('');
  };
  const sign = useSubmit('signRawPayload', { done: texts.signed, onSent, ...referenceOption(reference) });
  const errors = fieldErrors(sign.error);
  const parameters = {
    signWith: account.address,
    payload: message,
    encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
    hashFunction: isEd25519 ? 'HASH_FUNCTION_NOT_APPLICABLE' : hash,
  } as const;
  return (
    <form
      className="grid grid-cols-[minmax(0,1fr)] gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        sign.mutate(parameters);
      }}
    >
      <DeniedNotice submits="signRawPayload" />
      <TextArea label={texts.message} rows={4} value={message} onChange={setMessage} error={errors.payload} />
      <ReferenceField value={reference} onChange={setReference} />
      {!isEd25519 && (
        <SelectField
          label={texts.hash}
          value={hash}
          onChange={(value) => setHash(value as typeof hash)}
          options={hashes.map((value) => ({ value, label: value.replace('HASH_FUNCTION_', '') }))}
        />
      )}
      {message !== '' && <Simulation type="ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2" parameters={parameters} />}
      <div>
        <ActionButton
          submits="signRawPayload"
          type="submit"
          look="solid"
          icon="passkey"
          large
          busy={sign.isPending}
          disabled={message === '' || referenceError(reference) !== undefined}
        >
          {texts.submitMessage}
        </ActionButton>
      </div>
      {sign.data?.result && (
        <Notice tone="good" title={texts.result}>
          <Value value={sign.data.result} />
        </Notice>
      )}
    </form>
  );
}
