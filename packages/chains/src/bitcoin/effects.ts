import type { Asset, Effect } from '../effects/effect.ts';
import { type Names, sentenceOf } from '../effects/sentence.ts';
import { formatUnits } from '../shared/text.ts';
import type { ParseContext } from '../transaction.ts';
import type { Fee } from './fee.ts';
import type { NetworkName } from './network.ts';
import type { OwnScript } from './own-scripts.ts';
import type { Destination } from './policy-view.ts';
import type { Psbt } from './psbt.ts';

/** Receivers of outputs without an address. No address has this form. */
const DATA_OUTPUT = 'OP_RETURN';
const UNUSUAL_SCRIPT = 'UNUSUAL_SCRIPT';

const receiversWithoutAddress: Readonly<Record<string, string>> = {
  [DATA_OUTPUT]: 'nobody (destroyed)',
  [UNUSUAL_SCRIPT]: 'an unusual script',
};

/** The chain part of asset ids: the first half of the hash of the first block (BIP-122). */
export const bitcoinChainIds: Readonly<Record<NetworkName, string>> = {
  MAINNET: '000000000019d6689c085ae165831e93',
  TESTNET: '000000000933ea01ad0ee984209779ba',
  SIGNET: '00000008819873e925422c1ff0f99f7c',
  REGTEST: '0f9188f13cb7b2c71f2a335e3a4fc328',
};

const networkNames: Readonly<Record<NetworkName, string>> = {
  MAINNET: 'on Bitcoin',
  TESTNET: 'on Bitcoin testnet',
  SIGNET: 'on Bitcoin signet',
  REGTEST: 'on Bitcoin regtest',
};

/** Symbol and decimals of the coin on every network. */
export const BTC = { symbol: 'BTC', decimals: 8 } as const;

/** What the effects of a transaction are read from. */
export interface Spending {
  readonly psbt: Psbt;
  /** Where each output goes, in their order. */
  readonly destinations: readonly Destination[];
  readonly network: NetworkName;
  /** The address of the signer, on that network. */
  readonly self: string;
  /** The scripts that count as the signer's own. */
  readonly scripts: ReadonlyMap<string, OwnScript>;
  readonly fee: Fee;
}

/**
 * What the signatures do. Outputs that return to the signing key are change and no effect.
 *
 * INVARIANT: the amounts of all TRANSFER effects and of FEE add up to at least what the signer's inputs lose. Every output to
 * another key counts with its full amount, as if the signer paid it alone, and so does the whole fee. If other signers pay too
 * (a CoinJoin), the sum is more than the signer's share, never less. An uncertain fee has no amount.
 */
export function bitcoinEffects({ psbt, destinations, network, self, scripts, fee }: Spending): readonly Effect[] {
  const asset: Asset = { id: `bip122:${bitcoinChainIds[network]}/slip44:0`, kind: 'COIN', ...BTC };
  const send = (to: string, amount: bigint): Effect => ({ kind: 'TRANSFER', asset, amount, from: self, to });
  const effects: Effect[] = [];
  // SECURITY: signatures name no network. Only the address that the caller chose says "testnet"; the coins may be real.
  if (network !== 'MAINNET') effects.push({ kind: 'REPLAYABLE', what: 'good on every network that has the coins it spends' });
  psbt.outputs.forEach(({ amount, script }, index) => {
    const { type, address, scriptHex } = destinations[index] as Destination;
    if (scripts.has(scriptHex)) return;
    if (type === 'OP_RETURN') {
      effects.push({ kind: 'CALL', what: `write ${script.length} bytes of data` });
      if (amount > 0n) effects.push(send(DATA_OUTPUT, amount));
    } else {
      effects.push(send(address ?? UNUSUAL_SCRIPT, amount));
      if (address === undefined) effects.push({ kind: 'UNKNOWN', what: `the script of output ${index}`, bytes: script.length });
    }
  });
  effects.push({ kind: 'FEE', asset, from: self, ...(fee.known && { amount: fee.satoshis }) });
  return effects;
}

/** The transaction in one sentence. It tells the effects, and the change as well. */
export function describeBitcoin(
  effects: readonly Effect[],
  { psbt, destinations, network, self, scripts }: Spending,
  named: ParseContext['names'],
): string {
  const change = psbt.outputs.filter((_, index) => scripts.has((destinations[index] as Destination).scriptHex));
  const returned = change.reduce((sum, { amount }) => sum + amount, 0n);
  const names: Names = {
    self,
    where: networkNames[network],
    ...named,
    address: (address) => receiversWithoutAddress[address] ?? address,
  };
  const acts = change.length === 0 ? [] : [`return ${formatUnits(returned, BTC.decimals)} ${BTC.symbol} to the signing key`];
  return sentenceOf(effects, names, acts);
}
