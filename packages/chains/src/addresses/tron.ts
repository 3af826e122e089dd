import { toKey } from '../shared/bytes.ts';
import { Memo } from '../shared/memo.ts';
import { defineAddressFormat } from './address-format.ts';
import { base58CheckEncoding, requireLength, type TextEncoding } from './encodings.ts';
import { accountId } from './ethereum.ts';

/** The first byte of every address, on the main network and on today's test networks. */
export const TRON_PREFIX = 0x41;

const encoding = base58CheckEncoding(TRON_PREFIX);

/** Texts already printed. Each costs two hashes, and the signer, its tokens and most receivers were seen before. */
const texts = new Memo<string>(10_000);

/** The text of a 20-byte account id, and back. */
export const tronText: TextEncoding = {
  print: (account) => texts.get(toKey(requireLength(account, 20)), () => encoding.print(account)),
  read: encoding.read,
};

/** Tron: Base58Check of 0x41 and the last 20 bytes of Keccak-256 of the uncompressed key without its 0x04. */
export const tron = defineAddressFormat({
  id: 'ADDRESS_FORMAT_TRON',
  curves: ['CURVE_SECP256K1'],
  defaultPath: "m/44'/195'/0'/0/0",
  payload: accountId,
  ...tronText,
});
