import { t } from '../types.ts';
import type { Namespace } from './namespace.ts';
import { transactionKinds } from './transaction-kinds.ts';

/** The kinds of activity that sign. */
export const signings: ReadonlySet<string> = new Set([...transactionKinds, 'SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS']);

/** An element of `tx.payments`. INVARIANT: every payment has every field. */
export const payment = t.struct('Payment', {
  asset: {
    type: t.asset,
    doc: 'The asset by its CAIP-19 name. Compare it with a name, such as `USDC`, or with a text',
    example: 'tx.payments.all(p, p.asset == USDC)',
  },
  amount: {
    type: t.int,
    doc: 'The amount in base units of the asset',
    example: 'tx.payments.all(p, p.asset == USDC && p.amount <= 500 USDC)',
  },
  to: {
    type: t.anyAddress(),
    doc: 'The recipient. On Solana the token account, if the asset is a token',
    example: "tx.payments.all(p, p.to in contacts.tagged('vendors'))",
  },
  from: {
    type: t.anyAddress(),
    doc: 'The address that pays: that of the signing key, or on Solana its associated token account',
  },
});

/** `tx.is_payment` */
export const isPayment: Namespace = {
  path: 'tx.is_payment',
  field: 'condition',
  type: t.bool,
  doc: 'Whether the transaction is nothing but payments of the signer and their fee: it is understood, at least one amount goes to another address, each payment leaves an address of the signing key, and the signature is good on one chain and once. False for everything else that is signed: a memo, an allowance, a call, a contract creation, a delegation, an NFT, a message and raw payloads',
  example: "tx.is_payment && tx.payments.all(p, p.to in contacts.tagged('vendors'))",
  alwaysIn: signings,
  transaction: true,
};

/** `tx.payments` */
export const payments: Namespace = {
  path: 'tx.payments',
  field: 'condition',
  type: t.list(payment),
  doc: 'The payments of a transaction, at least one. Reading it is an error if `tx.is_payment` is false, so a rule for all payments is never true without one',
  example: 'tx.is_payment && tx.payments.all(p, p.asset == USDC) && tx.payments.total(USDC) <= 500 USDC',
  alwaysIn: signings,
  existsIf: isPayment.path,
  neverEmpty: true,
  unsigned: true,
  transaction: true,
};
