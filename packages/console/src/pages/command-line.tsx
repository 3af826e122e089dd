import { LOGIN_SECONDS, type LoginRequest, loginCode, readLoginRequest } from '@countersign/client';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useOwnNames } from '../data/own-names.ts';
import { useSubmit } from '../data/submit.ts';
import { useSession } from '../session/context.tsx';
import { ActionButton } from '../ui/action-button.tsx';
import { Code } from '../ui/copy.tsx';
import { Facts, Notice } from '../ui/page.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { words } from '../words/index.ts';

const texts = words.identity.commandLine;

/** Target page of `countersign login --browser`: the person compares the code and authorizes the key with a passkey. */
export function CommandLinePage() {
  const { organizationId } = useSession();
  const request = readLoginRequest(useSearch({ strict: false }));
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead} />
      {request === undefined ? (
        <Notice tone="bad" title={texts.missing} />
      ) : request.organizationId !== organizationId ? (
        <Notice tone="bad" title={texts.otherOrganization}>
          {texts.otherOrganizationText}
        </Notice>
      ) : (
        // Reset the state for another link.
        <LetIn key={request.publicKey} request={request} />
      )}
    </>
  );
}

function LetIn({ request }: { request: LoginRequest }) {
  const { userName } = useOwnNames();
  const [isIn, setIn] = useState(false);
  const login = useSubmit('stampLogin', { onDone: () => setIn(true) });
  if (isIn)
    return (
      <Notice tone="good" title={texts.done}>
        {texts.doneText}
      </Notice>
    );
  return (
    <div className="grid max-w-xl gap-5">
      <div className="card px-5 py-4">
        <Facts
          facts={[
            [
              texts.code,
              <strong key="code" className="number text-xl tracking-wide">
                {loginCode(request)}
              </strong>,
            ],
            [texts.key, <Code key="key" text={request.publicKey} what={texts.key} />],
            [texts.person, <span key="person">{userName}</span>],
          ]}
        />
      </div>
      <Notice tone="wait" title={texts.compare}>
        {texts.compareText}
      </Notice>
      <ActionButton
        submits="stampLogin"
        explained
        look="solid"
        icon="passkey"
        large
        busy={login.isPending}
        // SECURITY: D231: the page shows the lifetime, and the key cannot extend it.
        onClick={() => login.mutate({ publicKey: request.publicKey, expirationSeconds: LOGIN_SECONDS, endsForGood: true })}
      >
        {texts.allow}
      </ActionButton>
    </div>
  );
}
