import { assetInfo, ChainError, chains, defaultTokens, formatUnits, shippedTokens, withOwnTokens } from '@countersign/chains';
import type { StampedRequest } from '@countersign/client';
import type { Knowledge } from '../../review/types.ts';

/** Something that can be paid on a network. */
export interface PaidAsset {
  /** Its CAIP-19 name. */
  readonly id: string;
  readonly symbol: string;
  readonly decimals: number;
  /** The contract or mint of a token. */
  readonly contract?: string;
  /** Only the list of the organization names it. */
  readonly isOwn?: true;
}

/** What a person wants to pay. `Fees` are those of the chain. */
export interface Payment<Fees = unknown> {
  readonly from: string;
  /** CAIP-2 name of the network. */
  readonly network: string;
  readonly to: string;
  readonly asset: PaidAsset;
  readonly amount: bigint;
  readonly fees: Fees;
  /** Text on the chain. */
  readonly memo?: string;
}

/** A request that this browser built. */
export type Built = Omit<StampedRequest, 'organizationId'>;

/** The coin of a network and its tokens: those that the console ships, then those of the organization. */
export function assetsOf(network: string, tokens: Knowledge['tokens']): readonly PaidAsset[] {
  const entry = Object.values(chains).find(({ assets }) => network.startsWith(`${assets.namespace}:`));
  if (entry === undefined) return [];
  const { kinds } = entry.assets;
  const coin = coinOf(network, kinds);
  const standard = kinds.find(({ isContract }) => isContract)?.standard;
  if (standard === undefined) return [coin];
  const start = `${network}/${standard}:`;
  const own = new Map(tokens.filter(({ source }) => source === 'ORGANIZATION').map((token) => [token.asset, token]));
  // SECURITY: D962: symbols and decimals of shipped tokens are those of this browser, not of the service.
  const listed = withOwnTokens((id) => own.get(id));
  const ids = new Set([...shippedTokens.keys(), ...own.keys()].filter((id) => id.startsWith(start)));
  return [
    coin,
    ...[...ids].flatMap((id): PaidAsset[] => {
      const info = listed(id);
      if (info === undefined) return [];
      const { symbol, decimals, definedBy } = info;
      return [{ id, symbol, decimals, contract: id.slice(start.length), ...(definedBy && { isOwn: true }) }];
    }),
  ];
}

/** SECURITY: D962: symbol and decimals of a coin are those of this browser. */
function coinOf(network: string, kinds: readonly { readonly standard: string; readonly example: string }[]): PaidAsset {
  const id = `${network}/${kinds.find(({ standard }) => standard === 'slip44')?.example}`;
  const { symbol = 'coin', decimals = 18 } = assetInfo(id, defaultTokens) ?? {};
  return { id, symbol, decimals };
}

/** An amount in units of its asset. */
export const inUnits = (amount: bigint, { decimals }: Pick<PaidAsset, 'decimals'>): string => formatUnits(amount, decimals);

/** Whether an error says that a payment cannot be encoded. */
export const isUnbuildable = (error: unknown): error is ChainError => error instanceof ChainError;
