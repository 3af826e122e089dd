import { useState } from 'react';
import type { Knowledge } from '../../review/types.ts';
import type { Account } from '../sign/account.ts';
import { type Draft, emptyDraft } from './draft.ts';
import { paymentChainOf } from './payment-chains.ts';

interface State {
  readonly accountId: string;
  readonly network: string;
  readonly draft: Draft;
  /** The contact that the person picked by its name. */
  readonly picked: Knowledge['contacts'][number] | undefined;
  /** SECURITY: D966: the name that makes a payment happen once. It stays while its form is filled in. */
  readonly named: { readonly idempotencyKey: string; readonly timestampMs: number };
}

const newName = () => ({ idempotencyKey: crypto.randomUUID(), timestampMs: Date.now() });
const fresh = () => ({ draft: emptyDraft, picked: undefined, named: newName() });

/**
 * What is typed, after another account or network was chosen. A nonce and the coins are those of an account. An amount and a fee are those of
 * a network. The recipient stays if it is an address there too.
 */
export function movedDraft(draft: Draft, from: string, to: string): Draft {
  if (from === to) return { ...draft, nonce: '', coins: '' };
  const isAddress = paymentChainOf(to).readReceiver(draft.recipient, to) !== undefined;
  return { ...emptyDraft, recipient: isAddress ? draft.recipient : '', reference: draft.reference };
}

function moved(state: State, accountId: string, network: string): State {
  const draft = movedDraft(state.draft, state.network, network);
  return {
    ...{ accountId, network, draft, picked: draft.recipient === '' ? undefined : state.picked },
    named: state.network === network ? state.named : newName(),
  };
}

/** What a person typed for a payment of an account on a network. */
export function useDraft({ id: accountId }: Pick<Account, 'id'>, network: string) {
  const [state, setState] = useState<State>(() => ({ accountId, network, ...fresh() }));
  const isSame = state.accountId === accountId && state.network === network;
  const current = isSame ? state : moved(state, accountId, network);
  if (!isSame) setState(current);
  return {
    ...current,
    change: (more: Partial<Draft>, contact?: { readonly picked: State['picked'] }) =>
      setState((before) => ({ ...before, draft: { ...before.draft, ...more }, ...contact })),
    clear: () => setState((before) => ({ ...before, ...fresh() })),
  };
}
