import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { requestCode } from '../session/relay.ts';
import type { Session } from '../session/session.ts';
import { signInByCode } from '../session/sign-in-by-code.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { ErrorMessage } from '../ui/query-view.tsx';
import { words } from '../words/index.ts';

const texts = words.identity.signIn;

interface CodeFormProps {
  organizationId: string;
  onOpened(session: Session): void;
}

/** Sign-in with a code by email: first the address, then the code. */
export function CodeForm({ organizationId, onOpened }: CodeFormProps) {
  const [email, setEmail] = useState('');
  const address = email.trim();
  const send = useMutation({ mutationFn: () => requestCode(organizationId, address) });
  if (send.data !== undefined) {
    return (
      <EnterCode
        organizationId={organizationId}
        address={address}
        otpId={send.data}
        onOpened={onOpened}
        onOtherAddress={send.reset}
      />
    );
  }
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate();
      }}
    >
      <TextField
        label={texts.email}
        hint={texts.emailHint}
        type="email"
        inputMode="email"
        autoComplete="email"
        value={email}
        onChange={setEmail}
        required
      />
      <Button type="submit" wide busy={send.isPending} disabled={address === ''}>
        {texts.sendCode}
      </Button>
      {send.error && <ErrorMessage error={send.error} />}
    </form>
  );
}

interface EnterCodeProps extends CodeFormProps {
  address: string;
  otpId: string;
  onOtherAddress(): void;
}

function EnterCode({ organizationId, address, otpId, onOpened, onOtherAddress }: EnterCodeProps) {
  const [code, setCode] = useState('');
  const resend = useMutation({ mutationFn: () => requestCode(organizationId, address) });
  const newest = resend.data ?? otpId;
  const signIn = useMutation({
    mutationFn: () => signInByCode(organizationId, newest, code.replaceAll(/\s/g, '')),
    onSuccess: onOpened,
  });
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate();
      }}
    >
      <TextField label={texts.code} hint={texts.codeHint(address)} value={code} onChange={setCode} mono autoFocus required />
      <Button type="submit" look="solid" wide busy={signIn.isPending} disabled={code.trim() === ''}>
        {texts.withCode}
      </Button>
      {signIn.error && <ErrorMessage error={signIn.error} />}
      <div className="flex flex-wrap gap-2">
        <Button look="quiet" busy={resend.isPending} onClick={() => resend.mutate()}>
          {texts.resend}
        </Button>
        <Button look="quiet" onClick={onOtherAddress}>
          {texts.otherAddress}
        </Button>
      </div>
      {resend.isSuccess && (
        <p role="status" className="text-sm text-quiet">
          {texts.resent}
        </p>
      )}
      {resend.error && <ErrorMessage error={resend.error} />}
    </form>
  );
}
