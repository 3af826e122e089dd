import { useKeyLink } from '../session/use-key-link.ts';
import { CenteredPage } from '../ui/centered-page.tsx';
import { words } from '../words/index.ts';
import { LinkSteps } from './link-steps.tsx';

const texts = words.identity.accept;

/** Target page of an invitation link. */
export function AcceptPage() {
  return (
    <CenteredPage title={texts.title} lead={texts.lead}>
      <LinkSteps link={useKeyLink()} action={texts.make} missing={texts.missing} />
    </CenteredPage>
  );
}
