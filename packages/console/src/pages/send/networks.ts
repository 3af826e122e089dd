import { networks } from '../../data/networks.ts';
import { words } from '../../words/index.ts';

/** The name of a network for a selection. Test networks of Bitcoin follow from the address, so no other page offers them. */
export const networkLabel = (network: string): string =>
  networks[network]?.label ?? words.send.testNetworks[network as keyof typeof words.send.testNetworks] ?? network;
