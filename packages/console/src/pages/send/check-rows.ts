import { referenceProblem } from '@countersign/contract';
import type { Knowledge } from '../../review/types.ts';
import { plainReference } from '../sign/plain-reference.ts';
import { type AmountProblem, readAmount } from './amount.ts';
import { type EthereumFees, type EthereumPayment, readReceiver } from './chains/ethereum.ts';
import { type ReceiverProblem, receiverProblem } from './check-draft.ts';
import type { PaidAsset } from './payment.ts';
import type { Row } from './read-csv.ts';

/** A row of a file of payments. */
export interface CheckedRow {
  readonly line: number;
  readonly recipient: string;
  readonly amount: string;
  readonly asset: string;
  /** Empty without one. */
  readonly reference: string;
  readonly payment?: EthereumPayment;
  readonly problem?: AmountProblem | ReceiverProblem | 'asset' | 'ambiguousContact' | 'cells' | 'fee' | 'reference';
  /** Another row pays the same amount of the same asset to the same receiver. */
  readonly isDuplicate: boolean;
}

export interface Around {
  readonly from: string;
  readonly network: string;
  readonly assets: readonly PaidAsset[];
  readonly contacts: Knowledge['contacts'];
  feesFor(asset: PaidAsset): EthereumFees | undefined;
}

const columns = ['recipient', 'amount', 'asset', 'reference'] as const;

/** The rows as payments, or undefined if the first line does not name the columns. `asset` and `reference` may be absent: the asset is then the coin of the network. */
export function checkRows([head, ...rows]: readonly Row[], around: Around): readonly CheckedRow[] | undefined {
  const names = head?.cells.map((name) => name.toLowerCase()) ?? [];
  const known = names.every((name) => columns.some((column) => column === name)) && new Set(names).size === names.length;
  if (!known || !names.includes('recipient') || !names.includes('amount')) return undefined;
  const counts = new Map<string, number>();
  const checked = rows.map((row) => {
    const found = checkRow(row, names, around);
    const key = keyOf(found);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
    return found;
  });
  return checked.map((row) => ({ ...row, isDuplicate: (counts.get(keyOf(row) ?? '') ?? 0) > 1 }));
}

const keyOf = ({ payment }: Omit<CheckedRow, 'isDuplicate'>) => payment && `${payment.to} ${payment.asset.id} ${payment.amount}`;

function checkRow({ line, cells }: Row, names: readonly string[], around: Around): Omit<CheckedRow, 'isDuplicate'> {
  const cell = (name: (typeof columns)[number]) => cells[names.indexOf(name)] ?? '';
  const row = {
    line,
    recipient: cell('recipient'),
    amount: cell('amount'),
    asset: cell('asset'),
    reference: plainReference(cell('reference')),
  };
  if (cells.length !== names.length) return { ...row, problem: 'cells' };
  if (row.reference !== '' && referenceProblem(row.reference) !== undefined) return { ...row, problem: 'reference' };
  const asset = assetNamed(row.asset, around.assets);
  if (asset === undefined) return { ...row, problem: 'asset' };
  const to = receiverOf(row.recipient, around.contacts);
  if (to === 'ambiguousContact') return { ...row, problem: to };
  const { from, network } = around;
  const problem = receiverProblem(to, { account: { address: from }, network, asset });
  if (problem !== undefined) return { ...row, problem };
  const amount = readAmount(row.amount, asset.decimals);
  if (typeof amount !== 'bigint') return { ...row, problem: amount };
  const fees = around.feesFor(asset);
  if (fees === undefined) return { ...row, problem: 'fee' };
  return { ...row, payment: { from, network, to: readReceiver(to) as string, asset, amount, fees } };
}

/** SECURITY: D964: a symbol that two assets have names none. The contract names one. */
function assetNamed(text: string, assets: readonly PaidAsset[]): PaidAsset | undefined {
  if (text === '') return assets[0];
  const wanted = text.toLowerCase();
  const found = assets.filter(({ symbol, contract }) => symbol.toLowerCase() === wanted || contract === wanted);
  return found.length === 1 ? found[0] : undefined;
}

/**
 * The text if it is an address, or the address of a contact with this name. SECURITY: D964: a name that two addresses have names none.
 * D1070: a contact whose name is an address must not redirect what is paid to that address.
 */
function receiverOf(text: string, contacts: Knowledge['contacts']): string {
  if (readReceiver(text) !== undefined) return text;
  const own = contacts.filter(({ label, address }) => label === text && readReceiver(address) !== undefined);
  const addresses = new Set(own.map(({ address }) => readReceiver(address)));
  if (addresses.size > 1) return 'ambiguousContact';
  return [...addresses][0] ?? text;
}

/** What some rows pay in each asset. */
export function totalsOf(rows: readonly CheckedRow[]): readonly { readonly asset: PaidAsset; readonly amount: bigint }[] {
  const sums = new Map<string, { asset: PaidAsset; amount: bigint }>();
  for (const { payment } of rows) {
    if (payment === undefined) continue;
    const { asset, amount } = payment;
    sums.set(asset.id, { asset, amount: (sums.get(asset.id)?.amount ?? 0n) + amount });
  }
  return [...sums.values()];
}
