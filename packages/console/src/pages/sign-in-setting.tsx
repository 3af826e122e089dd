import type { OutputOf } from '@countersign/client';
import { type Queries, relayCondition } from '@countersign/contract';
import { useState } from 'react';
import { useServiceQuery } from '../data/service-query.ts';
import { useSubmit } from '../data/submit.ts';
import { escapeInvisible } from '../review/escape-invisible.ts';
import { useSession } from '../session/context.tsx';
import { ActionButton } from '../ui/action-button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Code } from '../ui/copy.tsx';
import { Badge, Notice, Section } from '../ui/page.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { words } from '../words/index.ts';

const texts = words.settings;

/** Consensus of the sign-in user’s policy. */
const consensusOf = (userId: string) => `approvers.any(user, user.id == '${userId}')`;

/** Setting for sign-in by email or issuer: a user with the key of the service, and its policy. */
export function SignInSetting() {
  const key = useServiceQuery('getSignInKey', {});
  const policies = useServiceQuery('listPolicies', {});
  return (
    <Section title={texts.signIn} lead={texts.signInLead}>
      <div className="card grid gap-3 p-4">
        <p className="max-w-[70ch]">{texts.signInText}</p>
        <QueryView query={key}>
          {({ publicKey, userId }) => (
            <QueryView query={policies}>
              {({ policies: all }) => (
                <SignInSwitch
                  publicKey={publicKey}
                  userId={userId}
                  policyIds={all
                    .filter(({ consensus }) => userId !== undefined && consensus === consensusOf(userId))
                    .map(({ policyId }) => policyId)}
                />
              )}
            </QueryView>
          )}
        </QueryView>
      </div>
    </Section>
  );
}

type User = OutputOf<Queries['getUser']>['user'];

/**
 * Whether only the service can act as a user.
 * SECURITY: any member can register the sign-in key as their own. That person must not get the rights of the sign-in user.
 */
function isOfServiceAlone({ apiKeys, authenticators, oauthProviders, userEmail, userPhoneNumber }: User): boolean {
  const others = apiKeys.length - 1 + authenticators.length + oauthProviders.length;
  return others === 0 && !userEmail && !userPhoneNumber;
}

interface SwitchProps {
  publicKey: string;
  userId: string | undefined;
  policyIds: readonly string[];
}

function SignInSwitch({ publicKey, userId, policyIds }: SwitchProps) {
  const { organizationId } = useSession();
  const [isEnding, setEnding] = useState(false);
  const allow = useSubmit('createPolicy', { done: texts.signInTurnedOn });
  const allowFor = (holder: string) =>
    allow.mutate({
      policyName: texts.signInPolicy,
      effect: 'EFFECT_ALLOW',
      condition: relayCondition,
      consensus: consensusOf(holder),
      notes: texts.signInNotes,
    });
  const makeUser = useSubmit('createUsers', {
    onDone: ({ userIds: [made] }) => {
      if (made !== undefined) allowFor(made);
    },
  });
  const dropUser = useSubmit('deleteUsers', { done: texts.signInTurnedOff });
  const dropPolicy = useSubmit('deletePolicy');
  const holder = useServiceQuery('getUser', { userId: userId ?? '' }, { enabled: userId !== undefined });
  const turnOn = () =>
    makeUser.mutate({
      users: [
        {
          userName: texts.signInUser,
          apiKeys: [{ apiKeyName: texts.signInKey, publicKey, curveType: 'API_KEY_CURVE_P256' }],
          authenticators: [],
          oauthProviders: [],
          userTags: [],
        },
      ],
    });
  const turnOff = async (holder: string) => {
    // Delete the user first: without it, the policy has no effect.
    await dropUser.mutateAsync({ userIds: [holder] });
    for (const policyId of policyIds) await dropPolicy.mutateAsync({ policyId });
    setEnding(false);
  };
  const busy = [allow, makeUser, dropUser, dropPolicy].some(({ isPending }) => isPending);
  if (userId === undefined) {
    return (
      <div>
        <ActionButton submits="createUsers" busy={busy} onClick={turnOn}>
          {texts.signInOn}
        </ActionButton>
      </div>
    );
  }
  if (holder.data === undefined) return <QueryView query={holder}>{() => null}</QueryView>;
  if (!isOfServiceAlone(holder.data.user))
    return <Notice tone="bad" title={texts.signInTaken(escapeInvisible(holder.data.user.userName))} />;
  const isAllowed = policyIds.length > 0;
  const link = `${new URL('.', document.baseURI).href}#/sign-in?organization=${organizationId}`;
  return (
    <>
      {isAllowed ? <Code text={link} what={texts.signInLink} /> : <p className="text-wait">{texts.signInHalf}</p>}
      <div className="flex flex-wrap items-center gap-3">
        {isAllowed && <Badge tone="good">{texts.signInIsOn}</Badge>}
        {!isAllowed && (
          <ActionButton submits="createPolicy" busy={busy} onClick={() => allowFor(userId)}>
            {texts.signInAllow}
          </ActionButton>
        )}
        <ActionButton submits="deleteUsers" look="dangerPlain" busy={busy} onClick={() => setEnding(true)}>
          {texts.signInOff}
        </ActionButton>
      </div>
      {isEnding && (
        <Confirm
          title={texts.signInOffTitle}
          text={texts.signInOffText}
          action={texts.signInOff}
          busy={busy}
          onConfirm={() => void turnOff(userId).catch(() => setEnding(false))}
          onClose={() => setEnding(false)}
        />
      )}
    </>
  );
}
