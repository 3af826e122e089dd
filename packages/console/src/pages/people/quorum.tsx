import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, SelectField } from '../../ui/field.tsx';
import { Badge, Section } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';
import type { Organization } from './types.ts';

const said = words.people;

export function Quorum({ organization }: { organization: Organization }) {
  const { threshold, userIds } = organization.rootQuorum;
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
      title={said.quorum}
      lead={said.quorumLead(threshold, userIds.length)}
      action={<Button onClick={() => setOpen(true)}>{said.quorumEdit}</Button>}
    >
      <p className="card flex flex-wrap gap-2 px-4 py-3">
        {organization.users
          .filter(({ userId }) => userIds.includes(userId))
          .map(({ userId, userName }) => (
            <Badge key={userId} tone="accent">
              {userName}
            </Badge>
          ))}
      </p>
      {isOpen && <EditQuorum organization={organization} onClose={() => setOpen(false)} />}
    </Section>
  );
}

function EditQuorum({ organization, onClose }: { organization: Organization; onClose(): void }) {
  const [members, setMembers] = useState<readonly string[]>(organization.rootQuorum.userIds);
  const [threshold, setThreshold] = useState(organization.rootQuorum.threshold);
  const update = useSubmit('updateRootQuorum', { done: said.quorumDone, onSent: onClose });
  const errors = fieldErrors(update.error);
  const most = Math.max(members.length, 1);
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={said.quorumTitle} text={said.quorumText}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          update.mutate({ threshold: Math.min(threshold, most), userIds: [...members] });
        }}
      >
        <fieldset className="grid gap-2">
          <legend className="mb-1 text-sm font-medium">{said.quorumMembers}</legend>
          {organization.users.map(({ userId, userName }) => (
            <CheckField
              key={userId}
              label={userName}
              checked={members.includes(userId)}
              onChange={(isOn) => setMembers((all) => (isOn ? [...all, userId] : all.filter((each) => each !== userId)))}
            />
          ))}
        </fieldset>
        <SelectField
          label={said.quorumThreshold}
          value={String(Math.min(threshold, most))}
          onChange={(value) => setThreshold(Number(value))}
          options={Array.from({ length: most }, (_, index) => ({ value: String(index + 1), label: String(index + 1) }))}
          error={errors.threshold ?? errors.userIds}
        />
        <Button type="submit" look="solid" icon="passkey" busy={update.isPending} disabled={members.length === 0}>
          {words.common.save}
        </Button>
      </form>
    </Dialog>
  );
}
