import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toLine } from '../src/pages/activities/csv.ts';
import { nameOfLine, prepareRows } from '../src/pages/send/batch-previews.ts';
import { checkRows, totalsOf } from '../src/pages/send/check-rows.ts';
import { assetsOf, type PaidAsset } from '../src/pages/send/payment.ts';
import { readCsv } from '../src/pages/send/read-csv.ts';

const from = '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf';
const acme = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const globex = '0x52908400098527886E0F7030069857D2E4169EE7';
const fees = { gasLimit: '60000', maxFeePerGas: '2', maxPriorityFeePerGas: '1' };
const contact = (label: string, address: string) => ({ contactId: address, label, address }) as never;

const around = (contacts: readonly never[] = [contact('Acme', acme)], assets = assetsOf('eip155:1', [])) => ({
  ...{ from, network: 'eip155:1', assets, contacts },
  feesFor: () => fees as typeof fees | undefined,
});

function check(text: string, more = around()) {
  const rows = readCsv(text);
  if (typeof rows === 'string') return rows;
  return checkRows(rows, more)?.map(({ line, problem, payment, isDuplicate }) => ({
    ...{ line, problem, to: payment?.to, amount: payment?.amount, symbol: payment?.asset.symbol },
    ...(isDuplicate && { isDuplicate }),
  }));
}

/** A field in quotes, as spreadsheets write it. */
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

describe('CSV files', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', '1', ' ', ',', ';', '"', '\n', '\r', '=', 'é'), maxLength: 8 });

  test('are read back as they were written, with fields in quotes, for every separator and line end', () => {
    const written = fc.record({
      rows: fc.array(fc.tuple(texts, texts, texts), { minLength: 1, maxLength: 20 }),
      separator: fc.constantFrom(',', ';', '\t'),
      end: fc.constantFrom('\n', '\r\n'),
      mark: fc.constantFrom('', '\u{feff}'),
    });
    fc.assert(
      fc.property(written, ({ rows, separator, end, mark }) => {
        const head = ['recipient', 'amount', 'asset'].join(separator);
        const text = mark + [head, ...rows.map((row) => row.map(quoted).join(separator))].join(end) + end;
        const read = readCsv(text);
        const kept = rows.map((row) => row.map((cell) => cell.trim())).filter((row) => row.some((cell) => cell !== ''));
        expect(typeof read === 'string' ? read : read.slice(1).map(({ cells }) => cells)).toEqual(kept);
      }),
    );
  });

  test('never hang or throw, whatever they contain', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', ',', ';', '"', '\n', '\r', '\t', '\u{feff}'), maxLength: 60 }),
        (text) => {
          const read = readCsv(text);
          expect(typeof read === 'string' || Array.isArray(read)).toBe(true);
        },
      ),
    );
  });

  test.each([
    ['recipient,amount\n"a,1', 'quote'],
    ['recipient,amount\na"b,1', 'quote'],
    ['recipient,amount\n"a"b,1', 'quote'],
    ['\n \n', 'empty'],
    [`recipient,amount\n${'a,1\n'.repeat(101)}`, 'rows'],
    ['x'.repeat(65_537), 'size'],
  ])('that are broken or too long are refused: %#', (text, problem) => {
    expect(readCsv(text)).toBe(problem);
  });

  test('say on which line a row begins, also after line breaks in quotes and empty lines', () => {
    const read = readCsv('a,b\n"1\n2",c\n\nd,e\n');
    expect(typeof read === 'string' ? read : read.map(({ line }) => line)).toEqual([1, 2, 5]);
  });
});

describe('payments of a file', () => {
  test('are checked row by row, with the names of contacts and duplicates', () => {
    const lines = [
      'Recipient,Asset,Amount',
      'Acme,USDC,1.5',
      `${acme},usdc,1.50`,
      `${globex},,2`,
      'Nobody,,1',
      `${acme},,1e3`,
      'Acme,XYZ,1',
      'Acme,1',
    ];
    expect(check(lines.join('\n'))).toEqual([
      { line: 2, to: acme, amount: 1_500_000n, symbol: 'USDC', isDuplicate: true },
      { line: 3, to: acme, amount: 1_500_000n, symbol: 'USDC', isDuplicate: true },
      { line: 4, to: globex, amount: 2n * 10n ** 18n, symbol: 'ETH' },
      { line: 5, problem: 'badRecipient' },
      { line: 6, problem: 'form' },
      { line: 7, problem: 'asset' },
      { line: 8, problem: 'cells' },
    ]);
  });

  test.each(['amount\n1', 'recipient,amount,memo\na,1,b', 'recipient,amount,amount\na,1,1'])(
    'need known columns, each once: %j',
    (text) => {
      expect(check(text)).toBeUndefined();
    },
  );

  test('D964: a contact name of two addresses, or a symbol of two assets, names none', () => {
    const two = around([contact('Acme', acme), contact('Acme', globex)]);
    expect(check('recipient,amount\nAcme,1', two)).toMatchObject([{ problem: 'ambiguousContact' }]);
    const [coin] = assetsOf('eip155:1', []) as [PaidAsset];
    const twice = [coin, { ...coin, id: 'eip155:1/erc20:0x1', contract: '0x1' }];
    expect(check('recipient,amount,asset\nAcme,1,ETH', around(undefined, twice))).toMatchObject([{ problem: 'asset' }]);
  });

  test('D1070: an address is paid as it is written, also if a contact has it as its name', () => {
    const spellings = [globex, globex.toLowerCase()];
    const contacts = around(spellings.map((label) => contact(label, acme)));
    const rows = check(`recipient,amount\n${spellings.map((each) => `${each},1\n`).join('')}`, contacts);
    expect(rows).toMatchObject([{ to: globex }, { to: globex }]);
  });

  test('totals are exact sums for each asset', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(1n, 10n ** 30n), { minLength: 1, maxLength: 50 }), (amounts) => {
        const [coin] = assetsOf('eip155:1', []) as [PaidAsset];
        const rows = readCsv(`recipient,amount\n${amounts.map((amount) => `Acme,${amount}`).join('\n')}`);
        const checked = (typeof rows === 'string' ? undefined : checkRows(rows, around())) ?? [];
        const sum = amounts.reduce((a, b) => a + b);
        expect(totalsOf(checked)).toEqual([{ asset: coin, amount: sum * 10n ** BigInt(coin.decimals) }]);
      }),
    );
  });

  test('D965: a contact that the log does not prove is not paid by its name, and is by its address', async () => {
    const signer = {
      curve: 'CURVE_SECP256K1',
      publicKey: '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
      addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
    } as const;
    const text = `recipient,amount\nAcme,1\n${acme},1`;
    const rows = checkRows(readCsv(text) as never, around()) ?? [];
    const proof = { activityId: 'a', userName: 'Ann', atMs: 1 };
    const refusals = async (isProven: boolean) => {
      const prepared = await prepareRows(rows, {
        ...{ organizationId: 'o', text, firstNonce: 5n, signer },
        knowledge: {
          contacts: [{ ...(contact('Acme', acme) as object), updatedAt: { seconds: '1' } }],
          tokens: [],
          interfaces: [],
        } as never,
        prover: { record: async () => (isProven ? proof : undefined) } as never,
      });
      return prepared.map(({ refused }) => refused);
    };
    expect(await refusals(false)).toEqual(['unprovenContact', undefined]);
    expect(await refusals(true)).toEqual([undefined, undefined]);
  });

  test('D966: the name of a payment follows from the file, its line and the network', () => {
    const names = [nameOfLine('a', 2, 'eip155:1'), nameOfLine('a', 3, 'eip155:1'), nameOfLine('b', 2, 'eip155:1')];
    expect(new Set([...names, nameOfLine('a', 2, 'eip155:10')]).size).toBe(4);
    expect(nameOfLine('a', 2, 'eip155:1')).toBe(names[0]);
    expect(names[0]).toMatch(/^[0-9a-f]{64}$/);
  });

  test('the result file runs no formula of the file', () => {
    expect(toLine(['=1+1', 'a,b'])).toBe(`'=1+1,"a,b"`);
  });
});
