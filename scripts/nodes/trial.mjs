// Runs on the Node under test, in a project that has only our tarballs: the address of a service and its first credentials come in.
import { createHash } from 'node:crypto';
import { ApiKeyStamper, completed, createClient } from '@countersign/client';
import { loadAddon } from '@countersign/native';
import secp256k1 from 'secp256k1';

const [url, organizationId, apiPublicKey, apiPrivateKey] = process.argv.slice(2);
const client = createClient({ baseUrl: url, organizationId, stamper: new ApiKeyStamper({ apiPublicKey, apiPrivateKey }) });
const account = {
  curve: 'CURVE_SECP256K1',
  pathFormat: 'PATH_FORMAT_BIP32',
  path: "m/44'/60'/0'/0/0",
  addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
};
const wallet = completed(await client.createWallet({ walletName: 'Trial', accounts: [account] }));
const [address] = wallet.addresses;
const payload = 'signed on another Node';
const signed = completed(
  await client.signRawPayload({
    signWith: address,
    payload,
    encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
    hashFunction: 'HASH_FUNCTION_SHA256',
  }),
);
const { accounts } = await client.listWalletAccounts({ walletId: wallet.walletId });
const verifies = secp256k1.ecdsaVerify(
  Buffer.from(signed.r + signed.s, 'hex'),
  createHash('sha256').update(payload).digest(),
  Buffer.from(accounts[0].publicKey, 'hex'),
);
const { absence } = loadAddon(process.env);
console.log(JSON.stringify({ version: process.versions.node, verifies, native: absence ?? 'loads' }));
