import type { OutputOf } from '@countersign/client';
import type { Queries } from '@countersign/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { messageOf } from '../data/errors.ts';
import { useServiceQuery } from '../data/service-query.ts';
import { useSubmit } from '../data/submit.ts';
import { ownDigest, pushSupport, subscribeBrowser } from '../offline/browser-push.ts';
import { ActionButton } from '../ui/action-button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Name } from '../ui/name.tsx';
import { Badge, Section } from '../ui/page.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { useToast } from '../ui/toast.tsx';
import { When } from '../ui/when.tsx';
import { words } from '../words/index.ts';

const texts = words.me.notifications;
const FEATURE = 'FEATURE_NAME_APPROVAL_MAIL';

type Listed = OutputOf<Queries['listPushSubscriptions']>;
type Subscription = Listed['pushSubscriptions'][number];

/** Browsers that receive this person’s notifications, with a switch for this one. */
export function Notifications() {
  const subscriptions = useServiceQuery('listPushSubscriptions', {});
  const configs = useServiceQuery('getOrganizationConfigs', {});
  const isOff = configs.data !== undefined && !configs.data.configs.features.some(({ name }) => name === FEATURE);
  return (
    <Section title={texts.title} lead={texts.lead}>
      {isOff && <p className="mb-2 text-sm text-quiet">{texts.organizationOff}</p>}
      <QueryView query={subscriptions}>{(listed) => <Browsers {...listed} />}</QueryView>
    </Section>
  );
}

function Browsers({ applicationServerKey, pushSubscriptions }: Listed) {
  const queries = useQueryClient();
  const showToast = useToast();
  const own = useQuery({ queryKey: ['check', 'this browser'], queryFn: async () => (await ownDigest()) ?? null, gcTime: 0 });
  const isThis = ({ endpointDigest }: Subscription) => endpointDigest === own.data;
  const add = useSubmit('createPushSubscription', { done: texts.turnedOn });
  const remove = useSubmit('deletePushSubscription', { done: texts.turnedOff });
  const turnOn = useMutation({
    mutationFn: () => subscribeBrowser(applicationServerKey),
    onSuccess(subscription) {
      void queries.invalidateQueries({ queryKey: ['check', 'this browser'] });
      if (subscription === undefined) showToast('wait', texts.notAllowed);
      else add.mutate(subscription);
    },
    onError: (error) => showToast('bad', texts.failed(messageOf(error))),
  });
  const current = pushSubscriptions.find(isThis);
  return (
    <ul className="card divide-y divide-line">
      <li className="flex flex-wrap items-center gap-3 px-4 py-3">
        <Icon name="approvals" className="text-quiet" />
        <span className="min-w-0 flex-1">
          <span className="block font-medium">{texts.thisBrowser}</span>
          <span className="text-sm text-quiet">{current === undefined ? texts[stateOf()] : texts.on}</span>
        </span>
        {current === undefined ? (
          <ActionButton
            submits="createPushSubscription"
            disabled={stateOf() !== 'off'}
            busy={own.isPending || turnOn.isPending || add.isPending}
            onClick={() => turnOn.mutate()}
          >
            {texts.turnOn}
          </ActionButton>
        ) : (
          <ActionButton
            submits="deletePushSubscription"
            busy={remove.isPending}
            onClick={() => remove.mutate({ pushSubscriptionId: current.pushSubscriptionId })}
          >
            {texts.turnOff}
          </ActionButton>
        )}
      </li>
      {pushSubscriptions.map((subscription) => (
        <li key={subscription.pushSubscriptionId} className="flex items-center gap-3 px-4 py-3">
          <Icon name="check" className="text-quiet" />
          <span className="min-w-0 flex-1">
            <span className="flex flex-wrap items-center gap-2">
              <span className="truncate font-medium">
                <Name text={subscription.name} />
              </span>
              {isThis(subscription) && <Badge tone="accent">{words.me.thisBrowser}</Badge>}
            </span>
            <span className="text-sm text-quiet">
              {texts.through(subscription.service)} · <When at={subscription.createdAt} />
            </span>
          </span>
          {!isThis(subscription) && (
            <ActionButton
              submits="deletePushSubscription"
              look="quiet"
              busy={remove.isPending}
              onClick={() => remove.mutate({ pushSubscriptionId: subscription.pushSubscriptionId })}
            >
              {words.common.remove}
            </ActionButton>
          )}
        </li>
      ))}
    </ul>
  );
}

const stateOf = () => {
  const state = pushSupport();
  return state === 'possible' ? 'off' : state;
};
