import type { GasSponsor } from '../../../packages/server/src/config/gas-sponsors.ts';
import type { Anvil } from '../../support/anvil.ts';
import type { Caller } from '../../support/caller.ts';
import { createWallet } from '../../support/world.ts';
import { createSigner, type Signer, type SignerChoice } from '../json-rpc/support.ts';
import { CHAIN, payment } from './support.ts';

const GAS = 21_000n;
/** The most that the sponsors of these tests pay for one transaction. */
export const MAX_WEI = 10n ** 15n;
/** The highest fee of `sponsored`. */
export const FEE = GAS * 10n ** 10n;

/** An API-only user with a token, whose account has ether and pays for fees. */
export async function createSponsor(
  root: Caller,
  anvil: Anvil,
  choice: SignerChoice & { readonly ether?: number } = {},
): Promise<Signer & { readonly sponsor: GasSponsor; readonly address: string }> {
  const signer = await createSigner(root, choice);
  const [address] = signer.addresses as [string];
  await anvil.fund(address, choice.ether ?? 10);
  const { organizationId, userId } = signer;
  const paying = { signWith: address.toLowerCase(), maxWeiPerSend: `${MAX_WEI}`, gasLimit: `${GAS}` };
  const sponsor = { chain: CHAIN, organizationId, userId, ...paying };
  return { ...signer, sponsor, address };
}

/** A new account without ether. */
export async function emptyAccount(root: Caller): Promise<string> {
  const { addresses } = await createWallet(root);
  return addresses[0] as string;
}

/** A payment of 0 wei with a highest fee of `FEE`, which a sponsor pays. */
export const sponsored = (from: string, more: object = {}) =>
  payment(from, { value: '0', sponsor: true, gasLimit: `${GAS}`, maxFeePerGas: `${FEE / GAS}`, ...more });

/** Sends a sponsored payment, and returns the id of its status. */
export async function paySponsored(caller: Caller, from: string, more: object = {}): Promise<string> {
  return (await caller.result('ethSendTransaction', sponsored(from, more))).sendTransactionStatusId;
}

export const countOf = async (anvil: Anvil, address: string) =>
  Number(await anvil.call<string>('eth_getTransactionCount', [address, 'latest']));

export const balanceOf = async (anvil: Anvil, address: string) =>
  BigInt(await anvil.call<string>('eth_getBalance', [address, 'latest']));
