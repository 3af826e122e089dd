import type { ReactNode } from 'react';
import { dateTimeText, toMs } from '../../data/time.ts';
import { useSession } from '../../session/context.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Name } from '../../ui/name.tsx';
import { Badge } from '../../ui/page.tsx';
import { RowActions } from '../../ui/row-actions.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';
import { placeOf, type SessionKey, sessionKinds } from './session-keys.ts';

const texts = words.people.sessions;

/** The name that the service gives a session that was opened without one: its kind and time, which the row shows anyway. */
const GIVEN_NAME = / - \d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** One session in a list: the device and address of its last use, how it was opened, and until when it is valid. */
export function SessionRow({ session, children }: { session: SessionKey; children?: ReactNode }) {
  const { publicKey, expiresAtMs } = useSession();
  const { apiKeyName, credential, createdAt, expirationSeconds, openedFrom, lastUsed } = session;
  const isThis = credential.publicKey === publicKey;
  const untilMs = expirationSeconds === undefined ? isThis && expiresAtMs : toMs(createdAt) + Number(expirationSeconds) * 1000;
  const last = lastUsed ?? openedFrom;
  const isElsewhere = openedFrom !== undefined && lastUsed !== undefined && placeOf(openedFrom) !== placeOf(lastUsed);
  return (
    <li className="flex items-start gap-3 px-4 py-3">
      <Icon name="clock" className="mt-1 text-quiet" />
      <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3">
        <span className="min-w-0 grow basis-56 wrap-anywhere">
          <span className="flex flex-wrap items-center gap-x-2" title={texts.about}>
            <span className="font-medium">{last === undefined ? texts.unknownDevice : placeOf(last)}</span>
            {isThis && <Badge tone="accent">{words.me.thisBrowser}</Badge>}
          </span>
          {!GIVEN_NAME.test(apiKeyName) && (
            <span className="block text-sm">
              <Name text={apiKeyName} />
            </span>
          )}
          <span className="block text-sm text-quiet">
            {sessionKinds[credential.type]}, {texts.opened} <When at={createdAt} />
            {isElsewhere && ` ${texts.from(placeOf(openedFrom))}`}
            {untilMs !== false && `, ${words.me.until(dateTimeText(untilMs))}`}
          </span>
          {lastUsed && (
            <span className="block text-sm text-quiet">
              {texts.lastUsed} <When at={lastUsed.at} />
            </span>
          )}
        </span>
        {children && <RowActions>{children}</RowActions>}
      </span>
    </li>
  );
}
