import { generateApiKey } from '@countersign/client';
import { setupLink } from '@countersign/contract';
import { useState } from 'react';
import { useSubmit } from '../../data/submit.ts';
import { useSession } from '../../session/context.tsx';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';
import type { Person } from './types.ts';

const texts = words.people;

/** Creates a link that registers a passkey, for example after a loss. */
export function SetupLink({ person, onClose }: { person: Person; onClose(): void }) {
  const { organizationId } = useSession();
  const [key] = useState(() => generateApiKey());
  const create = useSubmit('createSetupKey');
  const consoleUrl = new URL('.', document.baseURI).href.replace(/#.*$/, '');
  const link = setupLink(consoleUrl, { organizationId, userId: person.userId, token: key.apiPrivateKey });
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={texts.setupTitle(person.userName)} text={texts.setupText}>
      {create.data?.result === undefined ? (
        <Button
          look="solid"
          icon="passkey"
          busy={create.isPending}
          onClick={() => create.mutate({ userId: person.userId, publicKey: key.apiPublicKey })}
        >
          {texts.setupMake}
        </Button>
      ) : (
        <Notice tone="wait" title={texts.setupReady}>
          <Code text={link} what={texts.setupLink} />
        </Notice>
      )}
    </Dialog>
  );
}
