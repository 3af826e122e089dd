import fc from 'fast-check';
import { parseTransaction } from 'viem';
import { describe, expect, test } from 'vitest';
import { toLine } from '../src/pages/activities/csv.ts';
import { prepareRows } from '../src/pages/send/batch-previews.ts';
import { checkRows, totalsOf } from '../src/pages/send/check-rows.ts';
import { earlierFindings, transferOf } from '../src/pages/send/earlier.ts';
import { inParallel } from '../src/pages/send/in-parallel.ts';
import { assetsOf, type PaidAsset } from '../src/pages/send/payment.ts';
import { readCsv } from '../src/pages/send/read-csv.ts';
import { namesOfRows } from '../src/pages/send/row-names.ts';

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
      end: fc.constantFrom('\n', '\r\n', '\r'),
      mark: fc.constantFrom('', '\u{feff}'),
      stated: fc.boolean(),
    });
    fc.assert(
      fc.property(written, ({ rows, separator, end, mark, stated }) => {
        const head = ['recipient', 'amount', 'asset'].join(separator);
        const first = stated ? [`sep=${separator}`] : [];
        const text = mark + [...first, head, ...rows.map((row) => row.map(quoted).join(separator))].join(end) + end;
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

  test.each(['\n', '\r\n', '\r'])('of spreadsheets that state the separator first have their lines: %j', (end) => {
    const read = readCsv(['sep=;', 'recipient;amount', 'Acme;1', '"a', 'b";2'].join(end));
    expect(read).toEqual([
      { line: 2, cells: ['recipient', 'amount'] },
      { line: 3, cells: ['Acme', '1'] },
      { line: 4, cells: [`a${end}b`, '2'] },
    ]);
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
        ...{ organizationId: 'o', firstNonce: 5n, signer, leftOut: new Set<number>(), used: new Map() },
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

  const namesOf = (text: string, network = 'eip155:1') => {
    const rows = checkRows(readCsv(text) as never, { ...around(), network, assets: assetsOf(network, []) }) ?? [];
    return [...namesOfRows(rows).values()];
  };

  test('D966: the name of a payment follows from the network, receiver, asset, amount, reference and equal lines above', () => {
    const head = 'recipient,amount,asset,reference\n';
    const lines = ['Acme,1,,', 'Acme,1,,', 'Acme,1,,x', 'Acme,2,,', 'Acme,1,USDC,', `${globex},1,,`];
    const names = namesOf(head + lines.join('\n'));
    expect(new Set([...names, ...namesOf(`${head}Acme,1,,`, 'eip155:10')]).size).toBe(lines.length + 1);
    expect(namesOf(head + lines.join('\n'))).toEqual(names);
    expect(names[0]).toMatch(/^[0-9a-f]{64}$/);
  });

  test('D1130: a line that is corrected, added, or written in another way does not rename the others', () => {
    const [first, second] = namesOf('recipient,amount\nAcme,1\nAcme,2\nAcme,oops');
    expect(namesOf('recipient,amount\nAcme,1\nAcme,2\nAcme,3').slice(0, 2)).toEqual([first, second]);
    expect(namesOf(`recipient;amount\r\n\r\n${acme};"1.0"\r\n${globex};7\r\nAcme;2\r\n`)).toMatchObject([first, {}, second]);
  });

  test('D1131: the requests of the file itself are no earlier ones, and others are found by receiver, asset and amount', () => {
    const [row] = checkRows(readCsv('recipient,amount\nAcme,1.5') as never, around()) ?? [];
    const transfer = transferOf(row?.payment as never);
    const found = (id: string, more: object = {}) =>
      ({
        ...{ id, status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED', votes: [{ user: { userName: 'Bob' } }] },
        createdAt: { seconds: `${Math.floor(Date.now() / 1000)}`, nanos: '0' },
        parsed: { effects: [{ ...transfer, ...more }] },
      }) as never;
    const ids = (...activities: never[]) =>
      earlierFindings(transfer, activities, new Set(['own'])).map(({ activityId }) => activityId);
    expect(ids(found('own'), found('a', { amount: '1' }), found('b', { to: globex.toLowerCase() }))).toEqual([]);
    expect(ids(found('own'), found('c'))).toEqual(['c']);
    expect(earlierFindings(transfer, [found('c')])[0]?.text).toContain(`1.5 ETH to ${acme}`);
  });

  const noncesWith = async (leftOut: readonly number[], used: readonly (readonly [number, bigint])[] = []) => {
    const rows = checkRows(readCsv('recipient,amount\nAcme,1\nAcme,2\nAcme,3') as never, around()) ?? [];
    const publicKey = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
    const prepared = await prepareRows(rows, {
      ...{ organizationId: 'o', firstNonce: 5n, leftOut: new Set(leftOut), used: new Map(used) },
      signer: { curve: 'CURVE_SECP256K1', publicKey, addressFormat: 'ADDRESS_FORMAT_ETHEREUM' },
      knowledge: { contacts: [], tokens: [], interfaces: [] },
      prover: { record: async () => undefined } as never,
    });
    return prepared.map(({ preview }) => {
      const hex = String(preview?.request.parameters.unsignedTransaction);
      return parseTransaction(hex.startsWith('0x') ? (hex as `0x${string}`) : `0x${hex}`).nonce;
    });
  };

  test('lines that are left out take no nonce', async () => {
    const nonces = await noncesWith([3]);
    expect([nonces[0], nonces[2]]).toEqual([5, 6]);
  });

  test('D1134: a line that is submitted later gets another nonce than those before', async () => {
    const submitted = [
      [2, 5n],
      [4, 6n],
    ] as const;
    expect(await noncesWith([], submitted)).toEqual([5, 7, 6]);
  });

  test('checks run a few at a time, return in order, and end at the first error', async () => {
    let running = 0;
    let most = 0;
    const started: number[] = [];
    const run = async (item: number) => {
      started.push(item);
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, item % 3));
      running -= 1;
      if (item === 9) throw new Error('nine');
      return item * 2;
    };
    const items = Array.from({ length: 9 }, (_, index) => index);
    expect(await inParallel(items, run)).toEqual(items.map((item) => item * 2));
    expect(most).toBe(4);
    await expect(inParallel([...items, ...Array.from({ length: 50 }, (_, index) => index + 9)], run)).rejects.toThrow('nine');
    expect(started.length).toBeLessThan(40);
  });

  test('the result file runs no formula of the file', () => {
    expect(toLine(['=1+1', 'a,b'])).toBe(`'=1+1,"a,b"`);
  });
});
