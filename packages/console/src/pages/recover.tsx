import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { takeLinkParameters } from '../session/link-secret.ts';
import { checkRecovery, recoveryRequest } from '../session/recovery.ts';
import { Button } from '../ui/button.tsx';
import { CenteredPage } from '../ui/centered-page.tsx';
import { Code } from '../ui/copy.tsx';
import { TextArea, TextField } from '../ui/field.tsx';
import { ErrorMessage, QueryView } from '../ui/query-view.tsx';
import { words } from '../words/index.ts';
import { LinkNotice } from './link-notice.tsx';
import { Registration } from './link-steps.tsx';

const texts = words.identity.recover;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Registers a new passkey with a recovery email. The link in the email leads here, or the person pastes its code. */
export function RecoverPage() {
  const [given] = useState(takeLinkParameters);
  const [organization, setOrganization] = useState(given.get('organization') ?? '');
  const [code, setCode] = useState(given.get('bundle') ?? '');
  const check = useMutation({ mutationFn: () => checkRecovery(code), gcTime: 0 });
  const { mutate } = check;
  // Run once: the code of the link is checked immediately.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (given.get('bundle')) mutate();
  }, []);
  const id = organization.trim();
  const found = check.data;
  if (found !== undefined && typeof found !== 'string')
    return (
      <CenteredPage title={texts.title} lead={texts.found}>
        <Registration link={found} action={texts.make} />
      </CenteredPage>
    );
  return (
    <CenteredPage title={texts.title} lead={texts.lead}>
      <div className="grid gap-5">
        <TextField label={words.identity.signIn.organization} value={organization} onChange={setOrganization} mono />
        {ID.test(id) && <RequestKey organizationId={id} />}
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            mutate();
          }}
        >
          <TextArea label={texts.code} hint={texts.codeHint} rows={4} mono value={code} onChange={setCode} />
          <Button type="submit" look="solid" large wide busy={check.isPending} disabled={code.trim() === ''}>
            {words.identity.link.goOn}
          </Button>
        </form>
        {typeof found === 'string' && <LinkNotice problem={found} />}
        {check.error && <ErrorMessage error={check.error} />}
      </div>
    </CenteredPage>
  );
}

/** The public key that an administrator needs to send the email. */
function RequestKey({ organizationId }: { organizationId: string }) {
  const request = useQuery({
    queryKey: ['recovery', organizationId],
    queryFn: async () => (await recoveryRequest(organizationId)).targetPublicKey,
    retry: false,
    gcTime: 0,
  });
  return (
    <QueryView query={request}>
      {(targetPublicKey) => (
        <div>
          <p className="text-sm font-medium">{texts.request}</p>
          <Code text={targetPublicKey} what={texts.request} />
          <p className="mt-1 text-sm text-quiet">{texts.requestHint}</p>
        </div>
      )}
    </QueryView>
  );
}
