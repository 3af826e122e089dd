import { addressFormats } from '@countersign/chains';
import type { WalletAccountParams } from '@countersign/contract';
import { nearest } from '@countersign/server/command';
import { UsageError } from './errors.ts';

const PREFIX = 'ADDRESS_FORMAT_';
const formats = Object.values(addressFormats);

/** Default network and address type of each chain. */
const usual: Readonly<Record<string, string>> = {
  bitcoin: 'BITCOIN_MAINNET_P2WPKH',
  doge: 'DOGE_MAINNET',
  ton: 'TON_V4R2',
  xlm: 'XLM',
};

/**
 * Parses an account such as `ethereum`, `ethereum:3`, `bitcoin p2tr testnet 0`, or a wire name. The number is the account index.
 * Curve and path are those that other wallets of the network use. Throws CliError for an unknown address format.
 */
export function parseAccount(text: string): WalletAccountParams {
  const words = text
    .trim()
    .toLowerCase()
    .split(/[\s:/_-]+/);
  const last = words.at(-1) ?? '';
  const index = /^\d{1,9}$/.test(last) ? Number(last) : 0;
  const name = (/^\d{1,9}$/.test(last) ? words.slice(0, -1) : words).filter((word) => !['address', 'format'].includes(word));
  const format =
    formats.find(({ id }) => id === `${PREFIX}${usual[name.join('_')]}`) ?? formats.find(({ id }) => sameWords(id, name));
  if (format === undefined) {
    const known = formats.map(({ id }) => id.slice(PREFIX.length).toLowerCase().replaceAll('_', ' '));
    throw new UsageError(
      `Unknown account type "${text}". Did you mean "${nearest(name.join(' '), known)}"?`,
      'Examples: --account ethereum, --account solana:1, --account "bitcoin p2tr mainnet 0".',
    );
  }
  return {
    curve: format.curves[0],
    pathFormat: 'PATH_FORMAT_BIP32',
    path: pathAt(format.defaultPath, index),
    addressFormat: format.id,
  };
}

/** Whether the words match a format, in any order. The main network is optional. */
function sameWords(id: string, name: readonly string[]): boolean {
  const own = id.slice(PREFIX.length).toLowerCase().split('_');
  return own.every((word) => name.includes(word) || word === 'mainnet') && name.every((word) => own.includes(word));
}

/** Path of the account with this index: replaces the last step, or the account step if all steps are hardened. */
export function pathAt(defaultPath: string, index: number): string {
  const steps = defaultPath.split('/');
  const counting = steps.slice(1).every((step) => step.endsWith("'")) ? 3 : steps.length - 1;
  return steps.map((step, place) => (place === counting ? step.replace(/^\d+/, String(index)) : step)).join('/');
}
