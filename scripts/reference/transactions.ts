import { readFile } from 'node:fs/promises';
import { page, table } from './markdown.ts';

interface Effect {
  readonly kind: string;
  readonly asset?: { readonly id: string; readonly symbol?: string };
  readonly unlimited?: boolean;
}

interface Entry {
  readonly name: string;
  readonly type: string;
  readonly source: string;
  readonly expected: { readonly sentence: string; readonly fullyParsed: boolean; readonly effects: readonly Effect[] };
}

const file = new URL('../../conformance/effects/transactions.json', import.meta.url);

/** What the service says about real transactions. The tests of the chains check every row. */
export async function transactionsPage(): Promise<string> {
  const { transactions }: { readonly transactions: readonly Entry[] } = JSON.parse(await readFile(file, 'utf8'));
  const rows = transactions.map(({ name, type, source, expected }) => [
    name,
    type.replace('TRANSACTION_TYPE_', ''),
    escaped(expected.sentence),
    summary(expected.effects),
    expected.fullyParsed ? 'yes' : 'no',
    source,
  ]);
  return page('Transactions as the service reads them', 'conformance/effects/transactions.json', [
    'People see the sentence before they approve. It uses the built-in token list, without contacts, interfaces or tokens of an organization. In an organization it ends with the wallet or key that signs, and a token that only the organization lists is followed by its contract: `1,000 FOO (0x…)`. Policies see the effects. A transaction that is not fully parsed has unknown parts, or parts that no token list, known address or stored interface confirms.',
    'The source is the transaction or the public file of the bytes. Rows with "built" were created with an independent library, or from the given transaction with the stated change.',
    table(['Name', 'Chain', 'Sentence', 'Effects', 'Fully parsed', 'Source'], rows),
  ]);
}

/** Kinds and assets in their order: "ALLOWANCE unlimited USDC, FEE ETH". */
function summary(effects: readonly Effect[]): string {
  const short = ({ kind, asset, unlimited }: Effect) =>
    [
      kind,
      ...(unlimited === true ? ['unlimited'] : []),
      ...(asset === undefined ? [] : [asset.symbol ?? shortAsset(asset.id)]),
    ].join(' ');
  return effects.map(short).join(', ');
}

/** The standard and the beginning of an asset without a symbol: "erc20:0x15d4c048…". */
function shortAsset(id: string): string {
  const asset = id.slice(id.indexOf('/') + 1);
  return asset.length > 20 ? `${asset.slice(0, 20)}…` : asset;
}

/** Sentences quote text of others, which must not become markup. */
function escaped(text: string): string {
  return text.replace(/[\\`*_<>[\]]/g, '\\$&');
}
