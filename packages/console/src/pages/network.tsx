import { CountersignError } from '@countersign/client';
import { useState } from 'react';
import { fieldErrors } from '../data/errors.ts';
import { isInBlock, isPrivate } from '../data/in-block.ts';
import { useServiceQuery } from '../data/service-query.ts';
import { useSubmit } from '../data/submit.ts';
import { ActionButton } from '../ui/action-button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { TextField } from '../ui/field.tsx';
import { Badge, Empty, Loading, Section } from '../ui/page.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { ErrorMessage } from '../ui/query-view.tsx';
import { words } from '../words/index.ts';

const texts = words.network;

interface Rule {
  readonly cidr: string;
  readonly label?: string | undefined;
}

/** IP allowlist of the organization. */
export function NetworkPage() {
  const query = useServiceQuery('getIpAllowlist', {});
  const own = useServiceQuery('getCallerAddress', {}).data?.address;
  const [isTurningOn, setTurningOn] = useState(false);
  const [isAddingOwn, setAddingOwn] = useState(false);
  const [removed, setRemoved] = useState<Rule>();
  const close = () => {
    setTurningOn(false);
    setAddingOwn(false);
    setRemoved(undefined);
  };
  const save = useSubmit('setIpAllowlist', { done: texts.saved, onSent: close });
  const isAbsent = query.error instanceof CountersignError && query.error.status === 404;
  if (query.isPending) return <Loading />;
  if (query.error && !isAbsent) return <ErrorMessage error={query.error} retry={() => void query.refetch()} />;
  const list = isAbsent ? undefined : query.data?.allowlist;
  const rules: readonly Rule[] = list?.rules ?? [];
  const isOn = list?.enabled === true;
  const store = (next: readonly Rule[], enabled: boolean) =>
    save.mutate({ enabled, rules: next.map(({ cidr, label }) => ({ cidr, ...(label !== undefined && { label }) })) });
  const addOwn = (address: string) => store([...rules, { cidr: `${address}/${address.includes(':') ? 128 : 32}` }], isOn);
  const without = (rule: Rule) => rules.filter(({ cidr }) => cidr !== rule.cidr);
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        {rules.length > 0 &&
          (isOn ? (
            <ActionButton submits="setIpAllowlist" onClick={() => store(rules, false)}>
              {texts.turnOff}
            </ActionButton>
          ) : (
            <ActionButton submits="setIpAllowlist" look="solid" onClick={() => setTurningOn(true)}>
              {texts.turnOn}
            </ActionButton>
          ))}
      </PageHead>
      <Section title={texts.rules} lead={isOn ? texts.enabled : texts.disabled}>
        {rules.length === 0 ? (
          <Empty icon="network" title={texts.empty.title} text={texts.empty.text} />
        ) : (
          <ul className="card divide-y divide-line">
            {rules.map((rule) => (
              <li key={rule.cidr} className="flex flex-wrap items-center gap-3 px-4 py-2.5">
                <code className="flex-1 font-mono">{rule.cidr}</code>
                {rule.label !== undefined && <Badge>{rule.label}</Badge>}
                <ActionButton
                  submits="setIpAllowlist"
                  look="quiet"
                  onClick={() => (isOn ? setRemoved(rule) : store(without(rule), isOn))}
                >
                  {words.common.remove}
                </ActionButton>
              </li>
            ))}
          </ul>
        )}
      </Section>
      {own !== undefined && (
        <OwnAddress
          address={own}
          isListed={rules.some(({ cidr }) => isInBlock(own, cidr))}
          add={() => (isPrivate(own) ? setAddingOwn(true) : addOwn(own))}
        />
      )}
      <AddRule busy={save.isPending} error={save.error} add={(rule) => store([...rules, rule], isOn)} />
      {isTurningOn && (
        <Confirm
          title={texts.turnOnTitle}
          text={texts.turnOnText}
          action={texts.turnOn}
          busy={save.isPending}
          onConfirm={() => store(rules, true)}
          onClose={close}
        />
      )}
      {isAddingOwn && own !== undefined && (
        <Confirm
          title={texts.privateTitle(own)}
          text={texts.privateText}
          action={texts.addPrivate}
          busy={save.isPending}
          onConfirm={() => addOwn(own)}
          onClose={close}
        />
      )}
      {removed && (
        <Confirm
          title={texts.removeTitle(removed.cidr)}
          text={texts.removeText}
          action={words.common.remove}
          busy={save.isPending}
          onConfirm={() => store(without(removed), isOn)}
          onClose={close}
        />
      )}
    </>
  );
}

/**
 * The address of this browser, as the service sees it.
 * SECURITY: D1177: behind a proxy that the service does not know, all people have the address of the proxy.
 */
function OwnAddress({ address, isListed, add }: { address: string; isListed: boolean; add(): void }) {
  return (
    <p className="mb-4 flex flex-wrap items-center gap-x-2 gap-y-1">
      <span className="break-all">{texts.ownAddress(address)}</span>
      {isListed ? (
        <span className="text-quiet">{texts.ownListed}</span>
      ) : (
        <ActionButton submits="setIpAllowlist" onClick={add}>
          {texts.addOwn}
        </ActionButton>
      )}
      {isPrivate(address) && <span className="basis-full text-wait">{texts.privateText}</span>}
    </p>
  );
}

function AddRule({ add, busy, error }: { add(rule: Rule): void; busy: boolean; error: unknown }) {
  const [cidr, setCidr] = useState('');
  const [label, setLabel] = useState('');
  const found = Object.entries(fieldErrors(error)).find(([field]) => field.startsWith('rules'))?.[1];
  return (
    <form
      className="card grid items-end gap-3 p-4 sm:grid-cols-[1fr_1fr_auto]"
      onSubmit={(event) => {
        event.preventDefault();
        add({ cidr: cidr.trim(), ...(label.trim() !== '' && { label: label.trim() }) });
        setCidr('');
        setLabel('');
      }}
    >
      <TextField label={texts.cidr} mono value={cidr} onChange={setCidr} placeholder="192.0.2.0/24" error={found} />
      <TextField label={texts.label} optional value={label} onChange={setLabel} />
      <ActionButton submits="setIpAllowlist" explained type="submit" icon="plus" busy={busy} disabled={cidr.trim() === ''}>
        {texts.add}
      </ActionButton>
    </form>
  );
}
