import { ChainError, encodeAddress, formatPath, parsePath, requirePathForCurve } from '@countersign/chains';
import type { WalletAccountParams } from '@countersign/contract';
import { createSlices, mapInSlices } from '../../admission/index.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { RunContext } from '../../pipeline/plan/executor.ts';
import { firstRepeated, invalidField } from '../../wire/refuse.ts';
import { requireCurve } from '../keys/new-private-keys.ts';

/** An account with its path in canonical form. */
export type NewAccount = WalletAccountParams;

/** Reads accounts to derive. `field` is the path of the list in the parameters. A wallet has one account per path and address format. */
export function readAccounts(accounts: readonly WalletAccountParams[], field: string): NewAccount[] {
  const read = accounts.map((account, index) => {
    const path = readPath(account, `${field}.${index}.path`);
    requireCurve(account.addressFormat, account.curve, `${field}.${index}.addressFormat`);
    return { ...account, path };
  });
  const repeated = firstRepeated(read.map(({ path, addressFormat }) => `${addressFormat} ${path}`));
  if (repeated !== undefined) throw pathTaken(`${field}.${repeated}.path`);
  return read;
}

export function pathTaken(field: string) {
  return invalidField(field, 'invalid path: the wallet already has an account with this address format at this path');
}

function readPath({ path, curve }: WalletAccountParams, field: string): string {
  try {
    const steps = parsePath(path);
    requirePathForCurve(steps, curve);
    return formatPath(steps);
  } catch (error) {
    if (error instanceof ChainError) throw invalidField(field, `invalid path: ${error.message}`, { cause: error });
    throw error;
  }
}

/**
 * Returns the changes that record derived accounts, and their addresses.
 * SECURITY: D249: runs in slices, because encoding an address takes up to a millisecond.
 */
export async function recordAccounts(
  { organization, newId, nowMs }: Pick<RunContext, 'organization' | 'newId' | 'nowMs'>,
  walletId: string,
  accounts: readonly NewAccount[],
  publicKeys: readonly Uint8Array[],
) {
  const addresses: string[] = [];
  const changes = await mapInSlices(
    accounts,
    createSlices(organization.id),
    ({ curve, path, addressFormat, name }, index): LocalChange => {
      const publicKey = publicKeys[index] as Uint8Array;
      const address = encodeAddress(addressFormat, curve, publicKey);
      addresses.push(address);
      return {
        op: 'putResource',
        kind: 'walletAccount',
        id: newId(),
        parentId: walletId,
        body: {
          walletId,
          curve,
          path,
          addressFormat,
          address,
          publicKey: Buffer.from(publicKey).toString('hex'),
          ...(name !== undefined && { name }),
          createdAtMs: nowMs,
          updatedAtMs: nowMs,
        },
      };
    },
  );
  return { addresses, changes };
}
