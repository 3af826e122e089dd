import { useState } from 'react';
import { useServiceQuery } from '../../data/service-query.ts';
import { useSubmit } from '../../data/submit.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Name } from '../../ui/name.tsx';
import { Section } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { words } from '../../words/index.ts';
import type { MfaPolicy } from './mfa-answers.ts';
import { MfaPolicyForm } from './mfa-policy-form.tsx';
import { stepsInWords } from './mfa-steps.ts';

const texts = words.credentials.mfa;

/** The MFA policies of a person, and the factors that each needs. */
export function MfaPolicies({ userId }: { userId: string }) {
  const query = useServiceQuery('getMfaPolicies', { userId });
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<MfaPolicy>();
  const [editing, setEditing] = useState<MfaPolicy>();
  const remove = useSubmit('deleteMfaPolicy', { done: texts.removed, onSent: () => setRemoving(undefined) });
  return (
    <Section
      title={texts.title}
      lead={texts.lead}
      action={
        <ActionButton submits="createMfaPolicy" of={userId} onClick={() => setAdding(true)}>
          {texts.add}
        </ActionButton>
      }
    >
      <QueryView query={query}>
        {({ mfaPolicies }) => (
          <>
            <ul className="card divide-y divide-line">
              {mfaPolicies.map((policy) => (
                <li key={policy.mfaPolicyId} className="flex flex-wrap items-center gap-3 px-4 py-2.5">
                  <span className="min-w-0 flex-1 basis-48 break-words">
                    <span className="block font-medium">
                      <Name text={policy.mfaPolicyName} />
                    </span>
                    <span className="block text-sm">{stepsInWords(policy.requiredAuthenticationMethods)}</span>
                    <code className="block font-mono text-xs text-quiet">
                      <Name text={policy.condition} />
                    </code>
                  </span>
                  <ActionButton submits="updateMfaPolicy" of={userId} look="quiet" onClick={() => setEditing(policy)}>
                    {words.common.edit}
                  </ActionButton>
                  <ActionButton submits="deleteMfaPolicy" of={userId} look="quiet" onClick={() => setRemoving(policy)}>
                    {words.common.remove}
                  </ActionButton>
                </li>
              ))}
              {mfaPolicies.length === 0 && <li className="px-4 py-3 text-quiet">{texts.none}</li>}
            </ul>
            {isAdding && <MfaPolicyForm userId={userId} order={mfaPolicies.length} onClose={() => setAdding(false)} />}
            {editing && (
              <MfaPolicyForm userId={userId} policy={editing} order={mfaPolicies.length} onClose={() => setEditing(undefined)} />
            )}
          </>
        )}
      </QueryView>
      {removing && (
        <Confirm
          title={texts.remove}
          text={texts.removeText(removing.mfaPolicyName)}
          action={words.common.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ userId, mfaPolicyId: removing.mfaPolicyId })}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </Section>
  );
}
