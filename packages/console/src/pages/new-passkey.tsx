import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { isAlreadyRegistered } from '../data/errors.ts';
import { useSessionState } from '../session/context.tsx';
import { type CheckedLink, exchangeKey, LinkEndedError, registerPasskey } from '../session/one-time-link.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { ErrorMessage } from '../ui/query-view.tsx';
import { words } from '../words/index.ts';
import { LinkNotice } from './link-notice.tsx';

const texts = words.identity.link;

/** Form that registers a passkey with a one-time key and signs in. */
export function NewPasskeyForm({ action, link }: { action: string; link: CheckedLink }) {
  const { start } = useSessionState();
  const navigate = useNavigate();
  const [name, setName] = useState<string>(texts.suggestedName);
  const exchange = useExchange(link);
  const mutation = useMutation({
    mutationFn: async () => registerPasskey(await exchange(), name.trim()),
    onSuccess: start,
  });
  useEffect(() => {
    if (mutation.isSuccess) void navigate({ to: '/', replace: true });
  }, [mutation.isSuccess, navigate]);
  const prepare = () => void exchange().catch(() => undefined);
  return (
    <form
      className="grid gap-4"
      onFocus={prepare}
      onPointerDown={prepare}
      onSubmit={(event) => {
        event.preventDefault();
        mutation.mutate();
      }}
    >
      <TextField label={texts.passkeyName} hint={texts.passkeyHint} value={name} onChange={setName} required />
      <Button type="submit" look="solid" icon="passkey" large wide busy={mutation.isPending} disabled={name.trim() === ''}>
        {mutation.isPending ? words.identity.signIn.waiting : action}
      </Button>
      {mutation.error && <Problem error={mutation.error} />}
    </form>
  );
}

function Problem({ error }: { error: Error }) {
  if (error instanceof LinkEndedError) return <LinkNotice problem={error.problem} />;
  return isAlreadyRegistered(error) ? <LinkNotice problem="registered" /> : <ErrorMessage error={error} />;
}

/** Exchanges the key of the link once. A failed exchange is tried again by the next call. */
function useExchange(link: CheckedLink): () => Promise<CheckedLink> {
  const running = useRef<Promise<CheckedLink>>(undefined);
  return () => {
    running.current ??= exchangeKey(link).catch((error: unknown) => {
      running.current = undefined;
      throw error;
    });
    return running.current;
  };
}
