import { useNavigate, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession, useSessionState } from '../session/context.tsx';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { Loading, Notice } from '../ui/page.tsx';
import { words } from '../words/index.ts';

const texts = words.shell.otherOrganization;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function organizationIn(search: object): string | undefined {
  const { organization } = search as Readonly<Record<string, unknown>>;
  return typeof organization === 'string' && ID.test(organization) ? organization : undefined;
}

/** The page, or the choice to sign in to the organization that the address of the page is for, for example from an approval mail. */
export function InOwnOrganization({ children }: { children: ReactNode }) {
  const { organizationId } = useSession();
  const { isEnding } = useSessionState();
  const asked = useRouterState({ select: ({ location }) => organizationIn(location.search) });
  if (asked === undefined || asked.toLowerCase() === organizationId) return children;
  return isEnding ? <Loading /> : <Offer asked={asked} />;
}

function Offer({ asked }: { asked: string }) {
  const { end } = useSessionState();
  const navigate = useNavigate();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <Notice tone="wait" title={texts.title}>
      <p>{texts.text}</p>
      <Code text={asked} what={words.shell.organization} />
      <div className="mt-3 flex flex-wrap gap-2">
        {/* The sign-in page opens at the end of the session, with the organization of the address, and leads back to it. */}
        <Button look="solid" onClick={() => void end()}>
          {texts.open}
        </Button>
        <Button onClick={() => void navigate({ to: path, search: {}, replace: true })}>{texts.stay}</Button>
      </div>
    </Notice>
  );
}
