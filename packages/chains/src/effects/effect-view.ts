import type { PolicyValue } from '@countersign/policy';
import { chainOfAsset } from '../chains.ts';
import type { Effect } from './effect.ts';

const noAsset = { asset: '', asset_kind: '', symbol: '' };
const noAllowance = { unlimited: false, permit: false, lasting: false };

/**
 * What a kind of effect never has, as policies see it, so that a rule about all effects has an answer for each of them.
 * SECURITY: a CALL and an UNKNOWN effect can do anything. Nothing is said about them that the bytes do not tell.
 */
const without: { readonly [K in Effect['kind']]: { readonly [field: string]: PolicyValue } } = {
  TRANSFER: noAllowance,
  ALLOWANCE: { permit: false, lasting: false, owner: '' },
  FEE: { to: '', owner: '', ...noAllowance },
  CREATE: { ...noAsset, ...noAllowance },
  AUTHORITY: { owner: '', ...noAsset, ...noAllowance },
  CALL: {},
  REPLAYABLE: { from: '', to: '', owner: '', ...noAsset, ...noAllowance },
  UNKNOWN: {},
};

/** An effect as policies see it. A field that the bytes do not tell is absent, so that asking for it is an error and not a zero. */
export function effectView(effect: Effect): { readonly [field: string]: PolicyValue } {
  // SECURITY: D461: the words of a descriptor are for people. Limits alone know which calls move nothing.
  const {
    kind,
    words: _,
    movesNothing: __,
    ...rest
  } = effect as Effect & {
    readonly words?: string;
    readonly movesNothing?: true;
  };
  const view: Record<string, PolicyValue> = { ...without[kind], kind };
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined) continue;
    if (name !== 'asset') view[name] = typeof value === 'number' ? BigInt(value) : (value as PolicyValue);
  }
  if ('asset' in effect && effect.asset !== undefined) {
    const { id, kind: assetKind, symbol, decimals } = effect.asset;
    view.asset = id;
    view.asset_kind = assetKind;
    if (symbol === undefined) delete view.symbol;
    else view.symbol = symbol;
    if (decimals !== undefined) view.decimals = BigInt(decimals);
    const isOwner = chainOfAsset(id)?.effects.receiverIsOwner ?? true;
    if (kind === 'TRANSFER' && view.to !== undefined && isOwner) view.owner ??= view.to;
  }
  return view;
}
