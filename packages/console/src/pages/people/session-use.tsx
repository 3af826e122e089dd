import type { Client } from '@countersign/client';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';

const texts = words.people.sessions;

type Key = Awaited<ReturnType<Client['getUser']>>['user']['apiKeys'][number];
type ClientFacts = NonNullable<Key['openedFrom']>;

const placeOf = ({ device, address }: ClientFacts): string =>
  [device ?? texts.unknownDevice, ...(address === undefined ? [] : [address])].join(', ');

/** The device and address of the last use of a session, and those of its opening if they differ. */
export function SessionUse({ session: { openedFrom, lastUsed } }: { session: Pick<Key, 'openedFrom' | 'lastUsed'> }) {
  const last = lastUsed ?? openedFrom;
  if (last === undefined) return null;
  const isElsewhere = openedFrom !== undefined && lastUsed !== undefined && placeOf(openedFrom) !== placeOf(lastUsed);
  return (
    <span className="block break-words text-sm text-quiet" title={texts.about}>
      {placeOf(last)}
      {lastUsed && (
        <>
          , {texts.lastUsed} <When at={lastUsed.at} />
        </>
      )}
      {isElsewhere && <span className="block">{texts.openedFrom(placeOf(openedFrom))}</span>}
    </span>
  );
}
