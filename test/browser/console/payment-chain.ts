import { startAnvil } from '../../support/anvil.ts';
import { deployToken, tokenBalance } from '../../support/anvil-token.ts';
import type { Caller } from '../../support/caller.ts';
import { USDC } from './story.ts';

/** A chain of its own with the id of Ethereum and a token at the address of USDC. */
export interface PaymentChain {
  /** Settings of a service that sends through its node. */
  readonly settings: Readonly<Record<string, string>>;
  /** Gives the first wallet account ether, and 100,000 of the token. */
  fundFirstWallet(root: Caller): Promise<void>;
  /** What an address has of the token, in its smallest unit. */
  received(address: string): Promise<bigint>;
  stop(): Promise<void>;
}

export async function startPaymentChain(): Promise<PaymentChain> {
  const anvil = await startAnvil({ chainId: 1 });
  return {
    settings: {
      COUNTERSIGN_CHAIN_ENDPOINTS: JSON.stringify({ 'eip155:1': [anvil.url] }),
      COUNTERSIGN_CHAIN_NETWORKS: '127.0.0.0/8',
      COUNTERSIGN_SEND_CONFIRMATIONS: '1',
    },
    async fundFirstWallet(root) {
      const { wallets } = await root.data('listWallets', {});
      const { accounts } = await root.data('listWalletAccounts', { walletId: wallets[0].walletId });
      const address = accounts.find(
        ({ addressFormat }: { addressFormat: string }) => addressFormat === 'ADDRESS_FORMAT_ETHEREUM',
      ).address;
      await anvil.fund(address, 10);
      await deployToken(anvil, USDC, address, 100_000_000_000n);
    },
    received: (address) => tokenBalance(anvil, USDC, address),
    stop: anvil.stop,
  };
}
