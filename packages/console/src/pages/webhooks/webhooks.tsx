import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { useSubmit } from '../../data/submit.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Code } from '../../ui/copy.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { Name } from '../../ui/name.tsx';
import { Badge } from '../../ui/page.tsx';
import { RowActions } from '../../ui/row-actions.tsx';
import { words } from '../../words/index.ts';
import { DeliveryState, useDeliveryStates } from './delivery-state.tsx';

const texts = words.webhooks;

/** Webhook endpoints and their deliveries. */
export function WebhooksPage() {
  const query = useServiceQuery('listWebhookEndpoints', {});
  const states = useDeliveryStates(query.data?.webhookEndpoints.length ?? 0);
  const [isCreating, setCreating] = useState(false);
  const [removing, setRemoving] = useState<string>();
  const update = useSubmit('updateWebhookEndpoint', { done: words.common.completed });
  const test = useSubmit('testWebhookEndpoint', { done: texts.tested });
  const remove = useSubmit('deleteWebhookEndpoint', { done: words.common.completed, onSent: () => setRemoving(undefined) });
  const create = (
    <ActionButton submits="createWebhookEndpoint" look="solid" icon="plus" onClick={() => setCreating(true)}>
      {texts.create}
    </ActionButton>
  );
  return (
    <>
      <ListPage
        texts={texts}
        icon="webhooks"
        action={create}
        query={query}
        isEmpty={({ webhookEndpoints }) => webhookEndpoints.length === 0}
      >
        {({ webhookEndpoints }) => (
          <ul className="card divide-y divide-line">
            {webhookEndpoints.map(({ endpointId, name, url, isActive }) => (
              <li key={endpointId} className="flex flex-wrap items-center gap-3 px-4 py-3">
                <span className="min-w-0 flex-1 basis-64">
                  <span className="flex flex-wrap items-center gap-2 font-semibold">
                    <Name text={name} /> <Badge tone={isActive ? 'good' : 'calm'}>{isActive ? texts.active : texts.paused}</Badge>
                  </span>
                  <Code text={url} what={texts.url} />
                  <DeliveryState state={states.find((state) => state.endpointId === endpointId)} />
                </span>
                <RowActions>
                  {isActive && (
                    <ActionButton
                      submits="testWebhookEndpoint"
                      look="quiet"
                      busy={test.isPending && test.variables.endpointId === endpointId}
                      onClick={() => test.mutate({ endpointId })}
                    >
                      {texts.test}
                    </ActionButton>
                  )}
                  <ActionButton
                    submits="updateWebhookEndpoint"
                    look="quiet"
                    busy={update.isPending && update.variables.endpointId === endpointId}
                    onClick={() => update.mutate({ endpointId, isActive: !isActive })}
                  >
                    {isActive ? texts.pause : texts.resume}
                  </ActionButton>
                  <ActionButton submits="deleteWebhookEndpoint" look="quiet" onClick={() => setRemoving(endpointId)}>
                    {words.common.remove}
                  </ActionButton>
                </RowActions>
              </li>
            ))}
          </ul>
        )}
      </ListPage>
      {isCreating && <CreateWebhook onClose={() => setCreating(false)} />}
      {removing !== undefined && (
        <Confirm
          title={texts.removeTitle}
          text={texts.removeText}
          action={words.common.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ endpointId: removing })}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  );
}

function CreateWebhook({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const create = useSubmit('createWebhookEndpoint', { done: texts.made, onSent: onClose });
  const errors = fieldErrors(create.error);
  return (
    <FormDialog
      title={texts.create}
      isUnfinished={name.trim() === '' || url.trim() === ''}
      isBusy={create.isPending}
      onSubmit={() => {
        create.mutate({ name: name.trim(), url: url.trim() });
      }}
      onClose={onClose}
    >
      <TextField label={texts.name} value={name} onChange={setName} error={errors.name} />
      <TextField
        label={texts.url}
        mono
        hint={texts.urlHint}
        value={url}
        onChange={setUrl}
        error={errors.url}
        placeholder="https://"
      />
    </FormDialog>
  );
}
