import { LOGIN_SECONDS, type LoginRequest, loginCode, readLoginRequest } from '@countersign/client';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useSubmit } from '../data/submit.ts';
import { useSession } from '../session/context.tsx';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { Facts, Notice, PageHead } from '../ui/page.tsx';
import { words } from '../words/index.ts';

const said = words.identity.commandLine;

/** `countersign login --browser` leads here: the person compares the code, and their passkey lets the key in. */
export function CommandLinePage() {
  const { organizationId } = useSession();
  const request = readLoginRequest(useSearch({ strict: false }));
  return (
    <>
      <PageHead title={said.title} lead={said.lead} />
      {request === undefined ? (
        <Notice tone="bad" title={said.missing} />
      ) : request.organizationId !== organizationId ? (
        <Notice tone="bad" title={said.otherOrganization}>
          {said.otherOrganizationText}
        </Notice>
      ) : (
        // Another link is another question: an earlier answer does not stand for it.
        <LetIn key={request.publicKey} request={request} />
      )}
    </>
  );
}

function LetIn({ request }: { request: LoginRequest }) {
  const { userName } = useSession();
  const [isIn, setIn] = useState(false);
  const login = useSubmit('stampLogin', { onDone: () => setIn(true) });
  if (isIn)
    return (
      <Notice tone="good" title={said.done}>
        {said.doneText}
      </Notice>
    );
  return (
    <div className="grid max-w-xl gap-5">
      <div className="card px-5 py-4">
        <Facts
          facts={[
            [
              said.code,
              <strong key="code" className="number text-xl tracking-wide">
                {loginCode(request)}
              </strong>,
            ],
            [said.key, <Code key="key" text={request.publicKey} what={said.key} />],
            [said.person, <span key="person">{userName}</span>],
          ]}
        />
      </div>
      <Notice tone="wait" title={said.compare}>
        {said.compareText}
      </Notice>
      <Button
        look="solid"
        icon="passkey"
        large
        busy={login.isPending}
        onClick={() => login.mutate({ publicKey: request.publicKey, expirationSeconds: LOGIN_SECONDS })}
      >
        {said.allow}
      </Button>
    </div>
  );
}
