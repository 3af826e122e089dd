import { useState } from 'react';
import { fieldErrors } from '../data/errors.ts';
import { useOwnNames } from '../data/own-names.ts';
import { useServiceQuery } from '../data/service-query.ts';
import { useSubmit } from '../data/submit.ts';
import { serviceVersion } from '../session/api.ts';
import { useSession } from '../session/context.tsx';
import { ActionButton } from '../ui/action-button.tsx';
import { Code } from '../ui/copy.tsx';
import { TextArea, TextField } from '../ui/field.tsx';
import { Badge, Facts, Section } from '../ui/page.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { words } from '../words/index.ts';
import { Emergency } from './freezes/emergency.tsx';
import { SignInSetting } from './sign-in-setting.tsx';
import { isOn, switchedValue } from './switched-value.ts';

const texts = words.settings;

/** Features that an organization can turn on and off here. */
const switches = [
  'FEATURE_NAME_APPROVAL_MAIL',
  'FEATURE_NAME_OTP_EMAIL_AUTH',
  'FEATURE_NAME_SMS_AUTH',
  'FEATURE_NAME_EMAIL_AUTH',
  'FEATURE_NAME_EMAIL_RECOVERY',
  'FEATURE_NAME_SESSION_SELF_SERVICE',
  'FEATURE_NAME_QUERY_TIMESTAMPS',
  'FEATURE_NAME_QUERY_OPERATIONS',
  'FEATURE_NAME_READ_POLICIES',
  'FEATURE_NAME_NO_BLIND_HASHES',
  'FEATURE_NAME_WEBHOOK',
] as const;

export function SettingsPage() {
  const { organizationId } = useSession();
  const { organizationName } = useOwnNames();
  const version = serviceVersion();
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead} />
      <Emergency />
      <Rename key={organizationName} current={organizationName} />
      <Features />
      <SignInSetting />
      <Origins />
      <Section title={words.common.details}>
        <div className="card px-5 py-4">
          <Facts
            facts={[
              [words.common.id, <Code key="id" text={organizationId} what={words.common.id} />],
              ...(version === undefined ? [] : [[texts.version, version] as const]),
            ]}
          />
        </div>
      </Section>
    </>
  );
}

function Rename({ current }: { current: string }) {
  const [name, setName] = useState(current);
  const rename = useSubmit('updateOrganizationName', { done: texts.renamed });
  return (
    <form
      className="card mb-8 grid items-end gap-3 p-4 sm:grid-cols-[1fr_auto]"
      onSubmit={(event) => {
        event.preventDefault();
        rename.mutate({ organizationName: name.trim() });
      }}
    >
      <TextField label={texts.name} value={name} onChange={setName} error={fieldErrors(rename.error).organizationName} />
      <ActionButton
        submits="updateOrganizationName"
        explained
        type="submit"
        busy={rename.isPending}
        disabled={name.trim() === '' || name === current}
      >
        {words.common.save}
      </ActionButton>
    </form>
  );
}

function Features() {
  const query = useServiceQuery('getOrganizationConfigs', {});
  const turnOn = useSubmit('setOrganizationFeature', { done: texts.changed });
  const turnOff = useSubmit('removeOrganizationFeature', { done: texts.changed });
  const changing = [turnOn, turnOff].find(({ isPending }) => isPending)?.variables?.name;
  return (
    <Section title={texts.features} lead={texts.featuresLead}>
      <QueryView query={query}>
        {({ configs: { features } }) => (
          <ul className="card divide-y divide-line">
            {switches.map((name) => {
              const feature = features.find((each) => each.name === name);
              // It needs an address, so a switch cannot turn it on.
              if (name === 'FEATURE_NAME_WEBHOOK' && feature === undefined) return null;
              return (
                <li key={name} className="flex items-center gap-3 px-4 py-2.5">
                  <span className="min-w-0 flex-1">
                    <span className="block font-medium">{texts.switches[name].title}</span>
                    <span className="block text-sm text-quiet">{texts.switches[name].text}</span>
                  </span>
                  {feature && <Badge tone={isOn(feature) ? 'good' : 'calm'}>{feature.value || texts.on}</Badge>}
                  <ActionButton
                    submits={switchedValue(name, feature) === undefined ? 'removeOrganizationFeature' : 'setOrganizationFeature'}
                    look="quiet"
                    busy={changing === name}
                    onClick={() => {
                      const value = switchedValue(name, feature);
                      if (value === undefined) turnOff.mutate({ name });
                      else turnOn.mutate({ name, value });
                    }}
                  >
                    {feature && isOn(feature) ? texts.turnOff : texts.turnOn}
                  </ActionButton>
                </li>
              );
            })}
          </ul>
        )}
      </QueryView>
    </Section>
  );
}

function Origins() {
  const query = useServiceQuery('getOrganizationConfigs', {});
  const current = (query.data?.configs.features.find(({ name }) => name === 'FEATURE_NAME_WEBAUTHN_ORIGINS')?.value ?? '')
    .split(',')
    .join('\n');
  const [text, setText] = useState<string>();
  const save = useSubmit('updateAllowedOrigins', { done: texts.originsSaved, onSent: () => setText(undefined) });
  const shown = text ?? current;
  return (
    <Section title={texts.origins}>
      <form
        className="card grid gap-3 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate({
            allowedOrigins: shown
              .split('\n')
              .map((line) => line.trim())
              .filter((line) => line !== ''),
          });
        }}
      >
        <TextArea
          label={texts.originsList}
          hint={texts.originsHint}
          mono
          rows={3}
          value={shown}
          onChange={setText}
          error={Object.values(fieldErrors(save.error))[0]}
        />
        <div>
          <ActionButton submits="updateAllowedOrigins" explained type="submit" busy={save.isPending} disabled={shown === current}>
            {words.common.save}
          </ActionButton>
        </div>
      </form>
    </Section>
  );
}
