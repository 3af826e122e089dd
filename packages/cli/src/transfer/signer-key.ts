import { fetchServiceKeys } from '@countersign/client';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { CliError } from '../errors.ts';

export interface SignerKeyFlags {
  readonly signerKey?: string;
}

/** Adds the flag that pins the service's `signer` key, which signs every bundle. */
export function addSignerKeyFlag(command: Command): Command {
  return command.option(
    '--signer-key <hex>',
    'the signer key of the service; fetched from the service by default (COUNTERSIGN_SIGNER_KEY)',
  );
}

/** The key that signs bundles: the pinned key, or the one that the service publishes. */
export async function signerKeyOf({ environment }: Context, { signerKey }: SignerKeyFlags, baseUrl: string): Promise<string> {
  const pinned = (signerKey ?? environment.COUNTERSIGN_SIGNER_KEY)?.toLowerCase();
  if (pinned === undefined) return (await fetchServiceKeys(baseUrl)).signer;
  if (/^04[0-9a-f]{128}$/.test(pinned)) return pinned;
  throw new CliError(
    'The signer key is not an uncompressed P-256 public key.',
    'Pass the 130 hexadecimal digits of `signer` in /.well-known/countersign-keys.',
  );
}
