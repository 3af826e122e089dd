import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { useSubmit } from '../../data/submit.ts';
import { useSession } from '../../session/context.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Badge } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';

const texts = words.freezes;

/** What can be frozen, by the parameter that names it. */
export type FreezeTarget =
  | { readonly wholeOrganization: true }
  | { readonly userIds: [string] }
  | { readonly walletIds: [string] }
  | { readonly privateKeyIds: [string] };

/** The freezes of the organization. Empty while they load, and for people who may not read them. */
export function useFreezes() {
  return useServiceQuery('listFreezes', {}).data?.freezes ?? [];
}

/** Marks something that is frozen. */
export function FrozenMark({ id }: { id: string }) {
  return useFreezes().some(({ targetId }) => targetId === id) ? <Badge tone="wait">{texts.mark}</Badge> : null;
}

/** Freezes something after a confirmation with a reason, or asks the root quorum to unfreeze it. */
export function FreezeButton({ target, name, look = 'dangerPlain' }: FreezeButtonProps) {
  const { organizationId } = useSession();
  const [parameter] = Object.keys(target) as [keyof typeof texts.freezeTexts];
  const id = 'wholeOrganization' in target ? organizationId : Object.values(target as Record<string, [string]>)[0]?.[0];
  const isFrozen = useFreezes().some(({ targetId }) => targetId === id);
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState('');
  const close = () => setOpen(false);
  const freeze = useSubmit('freeze', { done: texts.frozen, onSent: close });
  const unfreeze = useSubmit('unfreeze', { done: texts.unfrozen });
  if (isFrozen)
    return (
      <ActionButton
        submits="unfreeze"
        look={look === 'quiet' ? 'quiet' : 'plain'}
        busy={unfreeze.isPending}
        onClick={() => unfreeze.mutate(target)}
      >
        {texts.unfreeze}
      </ActionButton>
    );
  return (
    <>
      <ActionButton submits="freeze" look={look} onClick={() => setOpen(true)}>
        {texts.freeze}
      </ActionButton>
      {isOpen && (
        <FormDialog
          title={texts.freezeTitle(name)}
          text={texts.freezeTexts[parameter]}
          action={texts.freeze}
          isUnfinished={reason.trim() === ''}
          isBusy={freeze.isPending}
          onSubmit={() => freeze.mutate({ ...target, reason: reason.trim() })}
          onClose={close}
        >
          <TextField
            label={texts.reason}
            hint={texts.reasonHint}
            value={reason}
            onChange={setReason}
            error={fieldErrors(freeze.error).reason}
          />
        </FormDialog>
      )}
    </>
  );
}

interface FreezeButtonProps {
  readonly target: FreezeTarget;
  readonly name: string;
  readonly look?: 'dangerPlain' | 'quiet';
}
