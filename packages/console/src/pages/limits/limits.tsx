import { useState } from 'react';
import { useServiceQuery } from '../../data/service-query.ts';
import { useSubmit } from '../../data/submit.ts';
import { dateTimeText, toMs } from '../../data/time.ts';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { groupDigits } from '../../review/group-digits.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { Name } from '../../ui/name.tsx';
import { Badge } from '../../ui/page.tsx';
import { RowActions } from '../../ui/row-actions.tsx';
import { words } from '../../words/index.ts';
import { CreateLimit } from './create.tsx';
import { type Control, RaiseLimit } from './raise.tsx';

const texts = words.limits;
type Usage = NonNullable<Control['usage']>[number];

/** Spending limits with used and remaining amounts. */
export function LimitsPage() {
  const query = useServiceQuery('listVelocityControls', { paginationOptions: { limit: '100' } });
  const [isCreating, setCreating] = useState(false);
  const create = (
    <ActionButton submits="createVelocityControl" look="solid" icon="plus" onClick={() => setCreating(true)}>
      {texts.create}
    </ActionButton>
  );
  return (
    <>
      <ListPage
        texts={texts}
        icon="limits"
        action={create}
        query={query}
        isEmpty={({ velocityControls }) => velocityControls.length === 0}
      >
        {({ velocityControls }) => (
          <ul className="grid gap-3">
            {velocityControls.map((control) => (
              <li key={control.velocityControlId}>
                <Limit control={control} />
              </li>
            ))}
          </ul>
        )}
      </ListPage>
      {isCreating && <CreateLimit onClose={() => setCreating(false)} />}
    </>
  );
}

function Limit({ control }: { control: Control }) {
  const { velocityControlId, name, identifier, aggregation, raise, controlRules, text } = control;
  const [dialog, setDialog] = useState<'raise' | 'reset' | 'remove' | 'switch'>();
  const close = () => setDialog(undefined);
  const detail = useServiceQuery('getVelocityControl', { velocityControlId });
  const remove = useSubmit('deleteVelocityControl', { done: words.common.completed, onSent: close });
  const reset = useSubmit('resetVelocityControl', { done: texts.resetDone, onSent: close });
  const change = useSubmit('updateVelocityControl', { done: texts.switchDone, onSent: close });
  const usage = detail.data?.velocityControl.usage ?? [];
  const threshold = raise?.threshold ?? aggregation.threshold;
  return (
    <div className="card px-5 py-4">
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 font-semibold break-words">
          <Name text={name} />
        </span>
        <code className="font-mono text-sm text-quiet">controls.{identifier}</code>
        <span className="flex-1" />
        {raise && <Badge tone="wait">{texts.raised(groupDigits(raise.threshold), dateTimeText(toMs(raise.until)))}</Badge>}
        <RowActions>
          {controlRules === undefined && (
            <ActionButton submits="updateVelocityControl" look="quiet" onClick={() => setDialog('switch')}>
              {texts.switchRules}
            </ActionButton>
          )}
          <ActionButton submits="raiseVelocityControl" look="quiet" onClick={() => setDialog('raise')}>
            {texts.raise}
          </ActionButton>
          <ActionButton submits="resetVelocityControl" look="quiet" onClick={() => setDialog('reset')}>
            {texts.reset}
          </ActionButton>
          <ActionButton submits="deleteVelocityControl" look="quiet" onClick={() => setDialog('remove')}>
            {texts.remove}
          </ActionButton>
        </RowActions>
      </div>
      <p className="mt-1 text-sm text-quiet">
        <Name text={text} /> {controlRules === undefined && texts.olderRules}
      </p>
      <div className="mt-3 grid gap-3">
        {usage.length === 0 ? (
          <Bar usage={{ group: '', used: '0', text: texts.notUsed, freesUp: [], left: threshold }} threshold={threshold} />
        ) : (
          usage.map((each) => <Bar key={each.group} usage={each} threshold={threshold} />)
        )}
      </div>
      {dialog === 'raise' && <RaiseLimit control={control} onClose={close} />}
      {dialog === 'switch' && (
        <Confirm
          title={texts.switchTitle}
          text={texts.switchText}
          word={identifier}
          action={texts.switchRules}
          busy={change.isPending}
          onConfirm={() => change.mutate({ velocityControlId, controlRules: 2 })}
          onClose={close}
        />
      )}
      {dialog === 'reset' && (
        <Confirm
          title={texts.resetTitle}
          text={texts.resetText}
          word={identifier}
          action={texts.reset}
          busy={reset.isPending}
          onConfirm={() => reset.mutate({ velocityControlId })}
          onClose={close}
        />
      )}
      {dialog === 'remove' && (
        <Confirm
          title={texts.removeTitle}
          text={texts.removeText}
          word={identifier}
          action={texts.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ velocityControlId })}
          onClose={close}
        />
      )}
    </div>
  );
}

/** Used share as a bar. The bar is rounded, the numbers are exact. */
function Bar({ usage, threshold }: { usage: Usage; threshold: string | undefined }) {
  const share = threshold === undefined || Number(threshold) === 0 ? 0 : Math.min(Number(usage.used) / Number(threshold), 1);
  const tone = share >= 1 ? 'bg-bad-solid' : share > 0.8 ? 'bg-wait' : 'bg-accent';
  return (
    <div>
      <div className="number mb-1 flex flex-wrap justify-between gap-x-4 text-sm">
        <span>
          {usage.group !== '' && <code className="me-2 font-mono text-xs text-quiet">{escapeInvisible(usage.group)}</code>}
          <span className="font-semibold">{groupDigits(usage.used)}</span>{' '}
          {threshold !== undefined && <span className="text-quiet">{texts.ofThreshold(groupDigits(threshold))}</span>}
        </span>
        {usage.left !== undefined && (
          <span className="text-quiet">
            {groupDigits(usage.left)} {texts.left}
          </span>
        )}
      </div>
      <div aria-hidden="true" className="h-2 overflow-hidden rounded-full bg-sunken">
        <div className={`h-full rounded-full ${tone}`} style={{ width: `${share * 100}%` }} />
      </div>
      <p className="mt-1 text-sm text-quiet">
        <Name text={usage.text} />
      </p>
    </div>
  );
}
