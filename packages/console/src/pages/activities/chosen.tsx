import { useServiceQuery } from '../../data/service-query.ts';
import { Name } from '../../ui/name.tsx';
import { words } from '../../words/index.ts';

const texts = words.activities.filters;

/** The person that the list is limited to. Also after a reload, and in a saved view. */
export function ChosenPerson({ userId }: { userId: string }) {
  const name = useServiceQuery('getUser', { userId }).data?.user.userName;
  return <Name text={name === undefined ? texts.chosen : texts.ofPerson(name)} />;
}

/** The wallet that the list is limited to. Private keys have no name here. */
export function ChosenKey({ keyId }: { keyId: string }) {
  const name = useServiceQuery('getWallet', { walletId: keyId }).data?.wallet.walletName;
  return <Name text={name === undefined ? texts.chosen : texts.ofWallet(name)} />;
}
