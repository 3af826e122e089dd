import { networks } from '../../data/networks.ts';

/** The EVM networks that a person can pay on, for a selection. */
export const evmNetworks = Object.entries(networks).flatMap(([value, { label }]) =>
  value.startsWith('eip155:') ? [{ value, label }] : [],
);
