import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useSessionState } from '../session/context.tsx';
import type { Session } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { ErrorMessage } from '../ui/query-view.tsx';
import { words } from '../words/index.ts';

const texts = words.identity.setup;

/** Form that registers a passkey with a link and signs in. */
export function NewPasskeyForm({ action, open }: { action: string; open(passkeyName: string): Promise<Session> }) {
  const { start } = useSessionState();
  const navigate = useNavigate();
  const [name, setName] = useState<string>(texts.suggestedName);
  const mutation = useMutation({ mutationFn: () => open(name.trim()), onSuccess: start });
  useEffect(() => {
    if (mutation.isSuccess) void navigate({ to: '/', replace: true });
  }, [mutation.isSuccess, navigate]);
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        mutation.mutate();
      }}
    >
      <TextField label={texts.passkeyName} hint={texts.passkeyHint} value={name} onChange={setName} required />
      <Button type="submit" look="solid" icon="passkey" large wide busy={mutation.isPending} disabled={name.trim() === ''}>
        {mutation.isPending ? words.identity.signIn.waiting : action}
      </Button>
      {mutation.error && <ErrorMessage error={mutation.error} />}
    </form>
  );
}
