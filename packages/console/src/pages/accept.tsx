import { openLink } from '../session/session.ts';
import { useKeyLink } from '../session/use-key-link.ts';
import { Front } from '../ui/front.tsx';
import { Notice } from '../ui/page.tsx';
import { words } from '../words/index.ts';
import { NewPasskeyForm } from './new-passkey.tsx';

const said = words.identity.accept;

/** Where the link of an invitation leads. */
export function AcceptPage() {
  const link = useKeyLink();
  return (
    <Front title={said.title} lead={said.lead}>
      {link?.invitationId === undefined ? (
        <Notice tone="bad" title={said.missing} />
      ) : (
        <NewPasskeyForm action={said.make} open={(name) => openLink(link, name)} />
      )}
    </Front>
  );
}
