import { readFileSync } from 'node:fs';
import { accountAddress } from '@countersign/chains';
import {
  type JudgedAccount,
  type JudgedPrivateKey,
  type JudgedWallet,
  type PolicySubject,
  subjectOfKey,
} from '@countersign/judgement';

/** A key that signs, as executors describe it. */
export interface Holder {
  readonly signWith: string;
  readonly subject: PolicySubject;
}

interface AddressVector {
  readonly format: string;
  readonly address: string;
}

const dates = { createdAtMs: 0, updatedAtMs: 0 };
const { vectors } = JSON.parse(
  readFileSync(new URL('../../../../conformance/addresses/vectors.json', import.meta.url), 'utf8'),
) as { vectors: readonly AddressVector[] };

/** One address of each format. */
const addresses = new Map(vectors.map(({ format, address }) => [format, address]));

function accountOf(format: string, address: string, index: number): Holder {
  const key: JudgedAccount = {
    kind: 'walletAccount',
    id: `account-${index}`,
    body: {
      walletId: `w${index % 3}`,
      curve: 'CURVE_SECP256K1',
      path: 'm/0',
      addressFormat: format,
      address,
      publicKey: '02',
      ...dates,
    },
  };
  const wallet: JudgedWallet = {
    kind: 'wallet',
    id: `w${index % 3}`,
    body: { walletName: index % 2 === 0 ? 'hot' : 'Treasury', exported: index % 3 === 0, imported: index % 2 === 0, ...dates },
  };
  return { signWith: accountAddress(key.body), subject: subjectOfKey(key, wallet) };
}

function privateKeyOf(index: number): Holder {
  const key: JudgedPrivateKey = {
    kind: 'privateKey',
    id: `k${index}`,
    body: {
      privateKeyName: `Key ${index}`,
      curve: 'CURVE_SECP256K1',
      publicKey: '02',
      addresses: [],
      privateKeyTags: index % 2 === 0 ? ['hot', 'tag-key'] : [],
      exported: index % 2 === 1,
      imported: false,
      ...dates,
    },
  };
  return { signWith: key.id, subject: subjectOfKey(key) };
}

const accounts = [...addresses].map(([format, address], index) => accountOf(format, address, index));

/** A wallet account with an address of each format, and private keys in between. */
export const holders: readonly Holder[] = accounts.flatMap((account, index) => [
  account,
  ...(index % 3 === 0 ? [privateKeyOf(index)] : []),
]);
