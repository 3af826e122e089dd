import type { Anvil } from './anvil.ts';

/**
 * A token as machine code: the balance of an account is in the slot of its address, a transfer of more than the balance reverts, and every
 * transfer is an event. It has no other functions.
 */
const TOKEN = [
  // Jump to balanceOf or to transfer, or revert.
  '0x5f3560e01c806370a0823114601b5763a9059cbb146026575f5ffd',
  // 0x1b, balanceOf(account).
  '5b600435545f5260205ff3',
  // 0x26, transfer(to, amount): take the amount from the caller.
  '5b60243533548181106074578190033355',
  // Add it to the receiver, with the event Transfer.
  '80600435540160043555',
  '5f52600435337fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60205fa3',
  '60015f5260205ff3',
  // 0x74, revert.
  '5b5f5ffd',
].join('');

const word = (digits: string) => `0x${digits.padStart(64, '0')}`;

/** Puts a token at an address of the chain, of which an account has an amount. */
export async function deployToken(anvil: Anvil, token: string, owner: string, amount: bigint): Promise<void> {
  await anvil.call('anvil_setCode', [token, TOKEN]);
  await anvil.call('anvil_setStorageAt', [token, word(owner.slice(2).toLowerCase()), word(amount.toString(16))]);
}

/** What an account has of a token. */
export async function tokenBalance(anvil: Anvil, token: string, owner: string): Promise<bigint> {
  const data = `0x70a08231${word(owner.slice(2).toLowerCase()).slice(2)}`;
  return BigInt(await anvil.call<string>('eth_call', [{ to: token, data }, 'latest']));
}
