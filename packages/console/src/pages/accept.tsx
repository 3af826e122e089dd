import { openLink } from '../session/session.ts';
import { useKeyLink } from '../session/use-key-link.ts';
import { CenteredPage } from '../ui/centered-page.tsx';
import { Notice } from '../ui/page.tsx';
import { words } from '../words/index.ts';
import { NewPasskeyForm } from './new-passkey.tsx';

const texts = words.identity.accept;

/** Target page of an invitation link. */
export function AcceptPage() {
  const link = useKeyLink();
  return (
    <CenteredPage title={texts.title} lead={texts.lead}>
      {link?.invitationId === undefined ? (
        <Notice tone="bad" title={texts.missing} />
      ) : (
        <NewPasskeyForm action={texts.make} open={(name) => openLink(link, name)} />
      )}
    </CenteredPage>
  );
}
