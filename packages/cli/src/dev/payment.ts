/** Where example payments go. */
export const EXAMPLE_RECEIVER = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

/** An unsigned payment of so much wei on Ethereum, fees included at most 0.00042 ether (EIP-1559, RLP). */
export function unsignedPayment(wei: bigint, nonce: number): string {
  const value = bytesOf(wei.toString(16));
  const fields = [
    '01', // chain id
    field(nonce === 0 ? '' : bytesOf(nonce.toString(16))),
    field('3b9aca00'), // 1 gwei for the validator
    field('04a817c800'), // 20 gwei of gas price at most
    field('5208'), // 21,000 gas
    field(EXAMPLE_RECEIVER.slice(2).toLowerCase()),
    field(value),
    '80', // no data
    'c0', // no access list
  ].join('');
  return `02${(0xc0 + fields.length / 2).toString(16)}${fields}`;
}

const bytesOf = (hex: string) => (hex.length % 2 === 0 ? hex : `0${hex}`);

/** A short byte string in RLP. */
function field(hex: string): string {
  if (hex.length === 2 && Number.parseInt(hex, 16) < 0x80) return hex;
  return `${(0x80 + hex.length / 2).toString(16)}${hex}`;
}
