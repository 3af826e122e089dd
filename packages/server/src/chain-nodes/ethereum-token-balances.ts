/** Contracts have at most 24,576 bytes (EIP-170), and `eth_call` of a creation returns its result like the code of one: two words for each token. */
export const MAX_TOKENS_PER_CALL = 128;

const WORD = 32;
/** Memory before the results: the call data of `balanceOf`. */
const RESULTS_AT = 64;
const BALANCE_OF = '70a08231';
/** Gas for each token. A contract that uses all of it spoils only its own result. */
const GAS_PER_TOKEN = '030d40';

const push2 = (value: number) => `61${value.toString(16).padStart(4, '0')}`;
const bare = (address: string) => address.slice(2).toLowerCase();

/**
 * Code that asks many ERC-20 contracts (EIP-20) for one balance, for `eth_call` as the creation of a contract: no contract has to be deployed, and a
 * node is asked once. The result has two words for each token: whether it responded with a word, and the word.
 */
export function tokenBalancesCode(owner: string, tokens: readonly string[]): string {
  // memory[0..36] = selector, owner
  const start = `63${BALANCE_OF}60e01b600052${`73${bare(owner)}`}600452`;
  const calls = tokens.map((token, index) => {
    const at = RESULTS_AT + index * 2 * WORD;
    // STATICCALL(gas, token, 0, 36, at + 32, 32), then memory[at] = success and RETURNDATASIZE > 31
    return `6020${push2(at + WORD)}60246000${`73${bare(token)}`}62${GAS_PER_TOKEN}fa3d601f1016${push2(at)}52`;
  });
  return `0x${start}${calls.join('')}${push2(tokens.length * 2 * WORD)}60${RESULTS_AT.toString(16)}f3`;
}

/** The balances in the result of that code. Undefined for a contract that did not respond with one. */
export function readBalances(data: string, tokens: number): (bigint | undefined)[] {
  const words = data.slice(2).match(/.{64}/g) ?? [];
  return Array.from({ length: tokens }, (_, index) => {
    const [responded, balance] = [words[index * 2], words[index * 2 + 1]];
    return responded !== undefined && BigInt(`0x${responded}`) === 1n && balance !== undefined
      ? BigInt(`0x${balance}`)
      : undefined;
  });
}
