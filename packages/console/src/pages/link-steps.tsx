import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type CheckedLink, checkLink, type KeyLink, readPastedKey } from '../session/one-time-link.ts';
import { Button } from '../ui/button.tsx';
import { TextArea } from '../ui/field.tsx';
import { Name } from '../ui/name.tsx';
import { Facts } from '../ui/page.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { words } from '../words/index.ts';
import { LinkNotice } from './link-notice.tsx';
import { NewPasskeyForm } from './new-passkey.tsx';

const texts = words.identity.link;

/** Registers a passkey with the key of a link, or with one that the person pastes. */
export function LinkSteps({ link, action, missing }: { link: KeyLink | undefined; action: string; missing: string }) {
  const [pasted, setPasted] = useState<KeyLink>();
  const given = link ?? pasted;
  if (given === undefined) return <PasteKey lead={missing} onKey={setPasted} />;
  return <Checked key={given.token} link={given} action={action} />;
}

function Checked({ link, action }: { link: KeyLink; action: string }) {
  const [entry] = useState(() => crypto.randomUUID());
  const canCreate = typeof PublicKeyCredential !== 'undefined';
  const checked = useQuery({
    // SECURITY: D212: one entry per link, so that no other person is shown, and without the key itself.
    queryKey: ['link', entry],
    queryFn: () => checkLink(link),
    enabled: canCreate,
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  if (!canCreate) return <LinkNotice problem="noPasskeys" />;
  return (
    <QueryView query={checked}>
      {(found) => (typeof found === 'string' ? <LinkNotice problem={found} /> : <Registration link={found} action={action} />)}
    </QueryView>
  );
}

/** Names the organization and the person, then registers the passkey. */
export function Registration({ link, action }: { link: CheckedLink; action: string }) {
  return (
    <div className="grid gap-5">
      <Facts
        facts={[
          [words.shell.organization, <Name key="organization" text={link.organizationName} />],
          [texts.person, <Name key="person" text={link.userName} />],
        ]}
      />
      <NewPasskeyForm action={action} link={link} />
    </div>
  );
}

function PasteKey({ lead, onKey }: { lead: string; onKey(link: KeyLink): void }) {
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        const link = readPastedKey(text);
        setWrong(link === undefined);
        if (link !== undefined) onKey(link);
      }}
    >
      <TextArea
        label={texts.pasted}
        hint={lead}
        rows={4}
        mono
        value={text}
        onChange={setText}
        error={isWrong ? texts.pastedWrong : undefined}
      />
      <Button type="submit" look="solid" large wide disabled={text.trim() === ''}>
        {texts.goOn}
      </Button>
    </form>
  );
}
