import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Badge, Section } from '../../ui/page.tsx';
import { PickList } from '../../ui/pick-list.tsx';
import { words } from '../../words/index.ts';
import type { Organization, Person } from './types.ts';

const texts = words.people;

interface QuorumProps {
  organization: Organization;
  users: readonly Person[];
}

export function Quorum({ organization, users }: QuorumProps) {
  const { threshold, userIds } = organization.rootQuorum;
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
      title={texts.quorum}
      lead={texts.quorumLead(threshold, userIds.length)}
      action={
        <ActionButton submits="updateRootQuorum" onClick={() => setOpen(true)}>
          {texts.quorumEdit}
        </ActionButton>
      }
    >
      <p className="card flex flex-wrap gap-2 px-4 py-3">
        {users
          .filter(({ userId }) => userIds.includes(userId))
          .map(({ userId, userName }) => (
            <Badge key={userId} tone="accent">
              {userName}
            </Badge>
          ))}
      </p>
      {isOpen && <EditQuorum organization={organization} users={users} onClose={() => setOpen(false)} />}
    </Section>
  );
}

function EditQuorum({ organization, users, onClose }: QuorumProps & { onClose(): void }) {
  const [members, setMembers] = useState<readonly string[]>(organization.rootQuorum.userIds);
  const [threshold, setThreshold] = useState(organization.rootQuorum.threshold);
  const update = useSubmit('updateRootQuorum', { done: texts.quorumDone, onSent: onClose });
  const errors = fieldErrors(update.error);
  const most = Math.max(members.length, 1);
  return (
    <FormDialog
      title={texts.quorumTitle}
      text={texts.quorumText}
      action={words.common.save}
      isUnfinished={members.length === 0}
      isBusy={update.isPending}
      onSubmit={() => update.mutate({ threshold: Math.min(threshold, most), userIds: [...members] })}
      onClose={onClose}
    >
      <PickList
        label={texts.quorumMembers}
        options={users.map(({ userId, userName }) => ({ value: userId, label: userName }))}
        chosen={members}
        onChange={setMembers}
      />
      <SelectField
        label={texts.quorumThreshold}
        value={String(Math.min(threshold, most))}
        onChange={(value) => setThreshold(Number(value))}
        options={Array.from({ length: most }, (_, index) => ({ value: String(index + 1), label: String(index + 1) }))}
        error={errors.threshold ?? errors.userIds}
      />
    </FormDialog>
  );
}
