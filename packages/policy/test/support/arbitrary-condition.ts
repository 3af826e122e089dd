import fc from 'fast-check';

const A = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const B = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

const ethereum = {
  ints: [
    'eth.tx.value',
    'eth.tx.nonce',
    'eth.tx.chain_id',
    'eth.tx.max_fee_per_gas',
    'eth.tx.access_list.count',
    'eth.tx.authorization_list.count()',
  ],
  strings: ['eth.tx.data[0..2]', 'eth.tx.data[0..10]', 'eth.tx.function_name', 'eth.tx.type'],
  addresses: ['eth.tx.to', 'eth.tx.from'],
  bools: ['(eth.tx.value > 5) == true'],
  lists: ['eth.tx.access_list'],
};
const dynamicEthereum = {
  ints: ["eth.tx.contract_call_args['wad']", "eth.tx.contract_call_args['delta']", "eth.tx.contract_call_args['calls'][0][1]"],
  strings: ["eth.tx.contract_call_args['note'][0..2]", "eth.tx.contract_call_args['note']"],
  addresses: [
    "eth.tx.contract_call_args['recipients'][1]",
    "eth.tx.contract_call_args['dst']",
    "eth.tx.contract_call_args['calls'][1][0]",
  ],
  bools: ["eth.tx.contract_call_args['flag']", "eth.tx.contract_call_args['delta'] && true"],
  lists: ["eth.tx.contract_call_args['calls']", "eth.tx.contract_call_args['recipients']"],
};
const solana = {
  ints: ['solana.tx.transfers[0].amount', 'solana.tx.instructions.count()', 'solana.tx.spl_transfers.count'],
  strings: ['solana.tx.instructions[0].instruction_data_hex[0..4]', 'solana.tx.recent_blockhash[0..3]'],
  addresses: [],
  bools: ['solana.tx.instructions[0].accounts[0].signer'],
  lists: ['solana.tx.transfers', 'solana.tx.instructions'],
};
const common = {
  ints: ['0', '1', '2', '3', '-1', '10', '11155111', '1000000000000000000', '[7, 8][1]'],
  strings: ['wallet.id', 'wallet.label', 'activity.type', "'abc'[1]"],
  addresses: [],
  bools: [
    'true',
    'false',
    'wallet.exported',
    'tx.fully_parsed',
    'wallet.imported == false',
    "activity.kind == 'SIGN_TRANSACTION'",
    "activity.resource in ['PRIVATE_KEY', 'WALLET']",
    "activity.action != 'EXPORT'",
  ],
  lists: ['[1, 2]', '[[0], [1]]'],
};

/** The transaction that the conditions read, and whether they use dynamic values. */
export type ConditionFlavour = 'ethereum' | 'dynamic' | 'solana' | 'mixed';

const sources = {
  ethereum: [common, ethereum],
  dynamic: [common, ethereum, dynamicEthereum],
  solana: [common, solana],
  mixed: [common, ethereum, solana],
} as const;

/** Texts of valid conditions. Over the inputs of the corpus they are true, false, and every kind of error. */
export function arbitraryCondition(flavour: ConditionFlavour): fc.Arbitrary<string> {
  const pick = (kind: keyof typeof common) => fc.constantFrom(...sources[flavour].flatMap((source) => [...source[kind]]));
  const plain = pick('ints');
  const divisor = fc.oneof(
    fc.constantFrom('2', '-3', '7', '-1 ETH'),
    plain.filter((text) => !/^-?[0-9]+$|^\[/.test(text)),
  );
  const int = fc.oneof(
    { weight: 3, arbitrary: plain },
    { weight: 1, arbitrary: fc.constantFrom('1.5 ETH', '3 gwei', '0.25 SOL', '1_000', '12 USDC', '5 wei') },
    {
      weight: 1,
      arbitrary: fc
        .tuple(plain, fc.constantFrom('+', '-', '*'), plain)
        .map(([left, symbol, right]) => `(${left} ${symbol} ${right})`),
    },
    { weight: 1, arbitrary: fc.tuple(plain, divisor).map(([left, right]) => `${left} / ${right}`) },
    { weight: 1, arbitrary: plain.map((text) => `-(${text})`) },
    { weight: 1, arbitrary: plain.map((text) => `[1, 2, 3].sum(n, n * ${text} - n)`) },
  );
  const equality = fc.constantFrom('==', '!=');
  const order = fc.constantFrom('<', '>', '<=', '>=', '==', '!=');
  const method = fc.constantFrom('any', 'all', 'none');
  const literal = fc.constantFrom("'w-treasury'", "'0x'", "'0xa9059cbb'", "'b'", "'transfer'");
  const addressLiteral = fc.constantFrom(`'${A}'`, `'${B}'`);
  const leaves = [
    pick('bools'),
    fc.tuple(int, order, int).map((parts) => parts.join(' ')),
    fc
      .tuple(
        pick('strings').filter((text) => text !== 'eth.tx.type'),
        equality,
        literal,
      )
      .map((parts) => parts.join(' ')),
    fc.tuple(pick('strings'), equality, pick('strings')).map((parts) => parts.join(' ')),
    fc.tuple(int, fc.array(int, { minLength: 1, maxLength: 3 })).map(([item, list]) => `[${list.join(', ')}].contains(${item})`),
    fc.tuple(pick('lists'), order, int).map(([list, symbol, bound]) => `${list}.count() ${symbol} ${bound}`),
  ];
  if (flavour !== 'solana') {
    const address = pick('addresses');
    const either = fc.oneof(addressLiteral, address);
    leaves.push(fc.tuple(address, equality, either).map((parts) => parts.join(' ')));
    leaves.push(
      fc.tuple(either, fc.array(either, { minLength: 1, maxLength: 3 })).map(([item, list]) => `${item} in [${list.join(', ')}]`),
    );
    leaves.push(
      fc
        .tuple(fc.array(address, { minLength: 1, maxLength: 2 }), either)
        .map(([list, item]) => `[${list.join(', ')}].contains(${item})`),
    );
  }
  return fc.letrec<{ bool: string }>((tie) => ({
    bool: fc.oneof(
      { depthSize: 'small' },
      fc.oneof(...leaves),
      fc
        .tuple(fc.constantFrom(' && ', ' || '), fc.array(tie('bool'), { minLength: 2, maxLength: 3 }))
        .map(([joint, parts]) => parts.map((part) => `(${part})`).join(joint)),
      tie('bool').map((part) => `!(${part})`),
      fc
        .tuple(method, int, order, tie('bool'))
        .map(([name, bound, symbol, part]) => `[1, 2, 3].${name}(x, x ${symbol} ${bound} || (${part}))`),
      fc.tuple(method, pick('lists'), tie('bool')).map(([name, list, part]) => `${list}.${name}(each, ${part})`),
      fc
        .tuple(int, order, int)
        .map(([bound, symbol, count]) => `[0, 1, 2, 5].filter(x, x ${symbol} ${bound}).count() == ${count}`),
      fc.tuple(int, int).map(([from, to]) => `'abcdef'[${from}..${to}] == 'bc'`),
      ...(flavour === 'dynamic'
        ? [
            fc
              .tuple(method, addressLiteral, int)
              .map(([name, to, value]) => `eth.tx.contract_call_args['calls'].${name}(c, c[0] == ${to} && c[1] == ${value})`),
          ]
        : []),
    ),
  })).bool;
}
