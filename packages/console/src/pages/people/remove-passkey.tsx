import { useSubmit } from '../../data/submit.ts';
import { useSession } from '../../session/context.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { words } from '../../words/index.ts';
import type { Person } from './types.ts';

const texts = words.me;

type Passkey = Person['authenticators'][number];

/** Why a person cannot remove their own passkey: without another one, they could not sign in again. */
export const whyKept = (passkeys: readonly Passkey[]): string | undefined =>
  passkeys.length === 1 ? texts.lastPasskey : undefined;

/** Confirms that a person removes their own passkey, and says if that also ends this session. */
export function RemoveOwnPasskey({ passkey, onClose }: { passkey: Passkey; onClose(): void }) {
  const { userId, openedWith } = useSession();
  const remove = useSubmit('deleteAuthenticators', { done: words.common.completed, onSent: onClose });
  const { authenticatorId, authenticatorName, credentialId } = passkey;
  const opened = credentialId === openedWith ? [texts.removeOwnPasskey] : [];
  return (
    <Confirm
      title={texts.removePasskey}
      text={[texts.removePasskeyText(authenticatorName), ...opened].join(' ')}
      action={words.common.remove}
      busy={remove.isPending}
      onConfirm={() => remove.mutate({ userId, authenticatorIds: [authenticatorId] })}
      onClose={onClose}
    />
  );
}
