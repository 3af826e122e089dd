import { createPrivateKey, createWallet, madeUpId, signParams, uniqueName } from '../../../support/world.ts';
import { transferTrx } from '../../sending/tron-support.ts';
import type { CatalogueCases } from '../support/catalogue-case.ts';

/** EIP-1559: 1 wei to 0x1111…, nonce 0, on Ethereum. */
const unsignedTransaction = `02e70180843b9aca00847735940082520894${'11'.repeat(20)}0180c0`;
const transaction = { unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' };

/** A message for the first version, which names private keys by id only. */
function messageV1(privateKeyId: string) {
  const { signWith: _, ...message } = signParams(privateKeyId);
  return { privateKeyId, ...message };
}

/** `test/features/sending` has the requests that succeed. */
const never = 'the service of these tests is connected to no chain';
const sent = { from: `0x${'22'.repeat(20)}`, caip2: 'eip155:1' };
const call = { to: `0x${'11'.repeat(20)}`, value: '1' };

const onSolana = {
  caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  // A transfer of one lamport without a blockhash.
  unsignedTransaction: `01${'00'.repeat(64)}01000103${'22'.repeat(32)}${'11'.repeat(32)}${'00'.repeat(64)}01020200010c020000000100000000000000`,
};
const onTron = {
  signWith: 'TTA1VjEmTscLXTmdzG1DRTw6U8ueQKX6N6',
  caip2: 'tron:0x2b6653dc',
  unsignedTransaction: transferTrx('TTA1VjEmTscLXTmdzG1DRTw6U8ueQKX6N6', 1n),
};
const onBitcoin = {
  signWith: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  caip2: 'bip122:000000000019d6689c085ae165831e93',
  unsignedTransaction: '70736274ff',
};
const solanaAddress = '3JF3sEqM796hk5WFqA6EtmEwJQ9quALszsfJyvXNQKy3';

export const signingCases: CatalogueCases = {
  ACTIVITY_TYPE_ETH_SEND_TRANSACTION: {
    never,
    refused: () => ({ params: { ...sent, ...call }, code: 'NOT_OFFERED' }),
  },
  ACTIVITY_TYPE_ETH_SEND_TRANSACTION_V2: {
    never,
    refused: () => ({ params: { ...sent, calls: [call] }, code: 'NOT_OFFERED' }),
  },
  ACTIVITY_TYPE_SOL_SEND_TRANSACTION: {
    never,
    refused: () => ({ params: { ...onSolana, signWith: solanaAddress }, code: 'NOT_OFFERED' }),
  },
  ACTIVITY_TYPE_SOL_SEND_TRANSACTION_V2: {
    never,
    refused: () => ({ params: { ...onSolana, signWiths: [solanaAddress] }, code: 'NOT_OFFERED' }),
  },
  ACTIVITY_TYPE_ETH_REPLACE_TRANSACTION: {
    never,
    refused: () => ({
      params: { ...sent, sendTransactionStatusId: madeUpId(), replacement: 'CANCEL' },
      code: 'NOT_OFFERED',
    }),
  },
  ACTIVITY_TYPE_ETH_UNDELEGATE_7702: {
    never,
    refused: () => ({ params: sent, code: 'NOT_OFFERED' }),
  },
  ACTIVITY_TYPE_ETH_UNDELEGATE7702: {
    never,
    refused: () => ({ params: sent, code: 'NOT_OFFERED' }),
  },
  ACTIVITY_TYPE_TRON_SEND_TRANSACTION: {
    never,
    refused: () => ({ params: onTron, code: 'NOT_OFFERED' }),
  },
  ACTIVITY_TYPE_BITCOIN_SEND_TRANSACTION: {
    never,
    refused: () => ({ params: onBitcoin, code: 'NOT_OFFERED' }),
  },
  ACTIVITY_TYPE_SIGN_RAW_PAYLOAD: {
    succeeds: async ({ root }) => ({ params: messageV1(await createPrivateKey(root)) }),
    refused: () => ({ params: messageV1(madeUpId()), code: 'SIGN_WITH_NOT_FOUND', fields: ['signWith'] }),
  },
  ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2: {
    succeeds: async ({ root }) => ({ params: signParams(await createPrivateKey(root)) }),
    refused: async ({ root }) => ({
      params: { ...signParams(await createPrivateKey(root), '0g'), encoding: 'PAYLOAD_ENCODING_HEXADECIMAL' },
      code: 'PAYLOAD_INVALID',
      fields: ['payload'],
    }),
  },
  ACTIVITY_TYPE_SIGN_RAW_PAYLOADS: {
    async succeeds({ root }) {
      const { payload, ...rest } = signParams(await createPrivateKey(root));
      return { params: { ...rest, payloads: [payload, uniqueName('Message')] } };
    },
    refused() {
      const { payload, ...rest } = signParams(madeUpId());
      return { params: { ...rest, payloads: [payload] }, code: 'SIGN_WITH_NOT_FOUND', fields: ['signWith'] };
    },
  },
  ACTIVITY_TYPE_SIGN_TRANSACTION: {
    succeeds: async ({ root }) => ({ params: { privateKeyId: await createPrivateKey(root), ...transaction } }),
    refused: async ({ root }) => ({
      params: { privateKeyId: await createPrivateKey(root, 'CURVE_ED25519'), ...transaction },
      code: 'TRANSACTION_INVALID',
      fields: ['signWith'],
    }),
  },
  ACTIVITY_TYPE_SIGN_TRANSACTION_V2: {
    succeeds: async ({ root }) => ({ params: { signWith: (await createWallet(root)).addresses[0], ...transaction } }),
    refused: async ({ root }) => ({
      params: { signWith: await createPrivateKey(root), ...transaction, unsignedTransaction: '02c0' },
      code: 'TRANSACTION_INVALID',
      fields: ['unsignedTransaction'],
    }),
  },
};
