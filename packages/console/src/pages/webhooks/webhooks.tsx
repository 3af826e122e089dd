import { useState } from 'react';
import { useAsk } from '../../data/ask.ts';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { Button } from '../../ui/button.tsx';
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

const said = words.webhooks;

/** Where events are posted, and how that goes. */
export function WebhooksPage() {
  const query = useAsk('listWebhookEndpoints', {});
  const states = useDeliveryStates(query.data?.webhookEndpoints.length ?? 0);
  const [isCreating, setCreating] = useState(false);
  const [removing, setRemoving] = useState<string>();
  const update = useSubmit('updateWebhookEndpoint', { done: words.common.completed });
  const test = useSubmit('testWebhookEndpoint', { done: said.tested });
  const remove = useSubmit('deleteWebhookEndpoint', { done: words.common.completed, onSent: () => setRemoving(undefined) });
  const create = (
    <Button look="solid" icon="plus" onClick={() => setCreating(true)}>
      {said.create}
    </Button>
  );
  return (
    <>
      <ListPage
        said={said}
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
                    <Name text={name} /> <Badge tone={isActive ? 'good' : 'calm'}>{isActive ? said.active : said.paused}</Badge>
                  </span>
                  <Code text={url} what={said.url} />
                  <DeliveryState state={states.find((state) => state.endpointId === endpointId)} />
                </span>
                <RowActions>
                  {isActive && (
                    <Button
                      look="quiet"
                      busy={test.isPending && test.variables.endpointId === endpointId}
                      onClick={() => test.mutate({ endpointId })}
                    >
                      {said.test}
                    </Button>
                  )}
                  <Button
                    look="quiet"
                    busy={update.isPending && update.variables.endpointId === endpointId}
                    onClick={() => update.mutate({ endpointId, isActive: !isActive })}
                  >
                    {isActive ? said.pause : said.resume}
                  </Button>
                  <Button look="quiet" onClick={() => setRemoving(endpointId)}>
                    {words.common.remove}
                  </Button>
                </RowActions>
              </li>
            ))}
          </ul>
        )}
      </ListPage>
      {isCreating && <CreateWebhook onClose={() => setCreating(false)} />}
      {removing !== undefined && (
        <Confirm
          title={said.removeTitle}
          text={said.removeText}
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
  const create = useSubmit('createWebhookEndpoint', { done: said.made, onSent: onClose });
  const errors = fieldErrors(create.error);
  return (
    <FormDialog
      title={said.create}
      isUnfinished={name.trim() === '' || url.trim() === ''}
      isBusy={create.isPending}
      onSubmit={() => {
        create.mutate({ name: name.trim(), url: url.trim() });
      }}
      onClose={onClose}
    >
      <TextField label={said.name} value={name} onChange={setName} error={errors.name} />
      <TextField
        label={said.url}
        mono
        hint={said.urlHint}
        value={url}
        onChange={setUrl}
        error={errors.url}
        placeholder="https://"
      />
    </FormDialog>
  );
}
