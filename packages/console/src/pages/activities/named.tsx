import { useDeferredValue } from 'react';
import { allWallets } from '../../data/lists.ts';
import { useFirstMatching } from '../../data/search-list.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Name } from '../../ui/name.tsx';
import { words } from '../../words/index.ts';
import type { Filter } from './filter.ts';

const texts = words.activities.filters;
const FEW = 4;

interface Choice {
  readonly key: string;
  readonly icon: IconName;
  readonly label: string;
  readonly filter: Filter;
}

/** People, wallets and contacts that a text names, and the text as a reference. Choosing one limits the list to it. */
export function Named({ text, onChoose }: { text: string; onChoose(filter: Filter): void }) {
  const matching = useDeferredValue(text);
  const input = { matching, paginationOptions: { limit: String(FEW) } };
  const users = useServiceQuery('listUsers', input);
  const wallets = useFirstMatching(allWallets, matching, FEW);
  const contacts = useServiceQuery('listContacts', input);
  const choices: readonly Choice[] = [
    ...(users.data?.users ?? []).map(({ userId, userName }) => ({
      ...{ key: userId, icon: 'me' as const, label: texts.ofPerson(userName), filter: { user: userId } },
    })),
    ...(wallets.data ?? []).map(({ walletId, walletName }) => ({
      ...{ key: walletId, icon: 'wallets' as const, label: texts.ofWallet(walletName), filter: { key: walletId } },
    })),
    ...(contacts.data?.contacts ?? []).map(({ contactId, label, address }) => ({
      ...{ key: contactId, icon: 'contacts' as const, label: texts.toContact(label), filter: { to: address } },
    })),
    { key: 'reference', icon: 'search', label: texts.withReference(text), filter: { reference: text } },
  ];
  return (
    <div role="status" className="mb-4">
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-sm text-quiet">{texts.show}</span>
        {choices.map(({ key, icon, label, filter }) => (
          <button
            key={key}
            type="button"
            onClick={() => onChoose(filter)}
            className="inline-flex max-w-full items-center gap-2 rounded-full border border-line-strong bg-surface px-3 py-1 hover:bg-sunken"
          >
            <Icon name={icon} size={16} />
            <span className="truncate">
              <Name text={label} />
            </span>
          </button>
        ))}
      </div>
    </div>
  );
}
