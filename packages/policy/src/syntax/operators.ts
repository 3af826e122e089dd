/** One level of operators, for the reference. */
export interface OperatorLevel {
  readonly symbols: readonly string[];
  /** The operand and result types. */
  readonly type: string;
  readonly doc: string;
  readonly example: string;
}

/** The operators, from highest to lowest precedence. Each level is left-associative. A test compares this table with the parser. */
export const operatorLevels: readonly OperatorLevel[] = [
  {
    symbols: ['.', '[ ]', '[ .. ]'],
    type: 'a field, an element or a part',
    doc: 'A field by name, an element by position, a value of a map by key, or a part of a list or text. The end of a slice is not in it. What is not there is an error.',
    example: "eth.tx.data[0..10] == '0xa9059cbb'",
  },
  {
    symbols: ['!', '-'],
    type: 'bool to bool, int to int',
    doc: 'Not, and minus.',
    example: '!tx.fully_parsed',
  },
  {
    symbols: ['*', '/'],
    type: 'int, int to int',
    doc: 'Product and quotient, both exact. A quotient is rounded down, towards negative infinity: `-7 / 2` is -4. Division by zero is an error.',
    example: 'eth.tx.gas * eth.tx.gas_price <= 0.01 ETH',
  },
  {
    symbols: ['+', '-'],
    type: 'int, int to int',
    doc: 'Sum and difference, both exact. Texts are not added.',
    example: 'eth.tx.value + eth.tx.gas * eth.tx.gas_price <= 2 ETH',
  },
  {
    symbols: ['==', '!='],
    type: 'two of one type to bool',
    doc: 'Whether two bools, ints, texts, addresses or timestamps are the same. Addresses and hex compare in one canonical form.',
    example: 'eth.tx.chain_id == 1',
  },
  {
    symbols: ['<', '>', '<=', '>='],
    type: 'int, int or timestamp, timestamp to bool',
    doc: 'The order of two numbers or times. Comparisons do not chain.',
    example: 'eth.tx.value <= 1.5 ETH',
  },
  {
    symbols: ['in'],
    type: 'a value, a list to bool',
    doc: 'Whether the list holds the value. The same as `list.contains(value)`.',
    example: "activity.kind in ['SIGN_TRANSACTION', 'SIGN_RAW_PAYLOAD']",
  },
  {
    symbols: ['&&'],
    type: 'bool, bool to bool',
    doc: 'And. Where the left side is false, the right side is not asked. A DENY asks both.',
    example: 'tx.fully_parsed && tx.max_fee < 5',
  },
  {
    symbols: ['||'],
    type: 'bool, bool to bool',
    doc: 'Or. Where the left side is true, the right side is not asked. A DENY asks both.',
    example: 'eth.tx.chain_id == 1 || eth.tx.chain_id == 10',
  },
];

/** The syntax of literals. */
export const literalForms: readonly { readonly type: string; readonly doc: string; readonly example: string }[] = [
  { type: 'bool', doc: '`true` and `false`.', example: 'wallet.exported == false' },
  {
    type: 'int',
    doc: 'Decimal digits, with an underscore between two of them if you like: `25_000`. From -2^255 to 2^256 - 1.',
    example: 'eth.tx.value < 25_000',
  },
  {
    type: 'int',
    doc: 'A decimal number, a blank and a unit: an integer of base units. More digits after the point than the unit has are refused.',
    example: 'eth.tx.value < 1.5 ETH',
  },
  {
    type: 'string',
    doc: "Text in single quotes. `\\'` is a quote and `\\\\` a backslash.",
    example: "wallet.label == 'Bob\\'s'",
  },
  {
    type: 'asset',
    doc: 'The name of a coin or of a token that the service ships: the one on the chain that the condition states, or else on Ethereum. Compared with the `asset` of a payment or an effect.',
    example: 'eth.tx.chain_id == 10 && tx.payments.all(p, p.asset in [USDC, ETH])',
  },
  { type: 'list', doc: 'Values of one type in brackets, at least one.', example: 'eth.tx.chain_id in [1, 10]' },
];
