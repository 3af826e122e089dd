import { z } from 'zod';
import type { Agent } from '../agent.ts';
import { effectShape, outcomeShape, showEffect, showOutcome, showUsers } from '../outcome.ts';
import {
  callOf,
  type PaymentInput,
  paymentInput,
  paymentRequest,
  type Request,
  resolvePayment,
  simulate,
} from '../payments/payment.ts';
import { propose } from '../propose.ts';
import { untrustedLong, untrustedText } from '../untrusted.ts';
import { purpose, reference } from './reference.ts';
import { defineReader, defineSigner } from './tool.ts';

const decisionShape = z.object({
  outcome: z.enum(['would_be_signed', 'would_need_approval', 'would_be_denied']),
  description: untrustedText
    .optional()
    .describe('What it would do, in one sentence of the service, with names that other people chose'),
  effects: z.array(effectShape).describe('Everything that the signature would do'),
  mayApprove: z
    .array(z.object({ userId: z.string(), name: untrustedText.optional() }))
    .describe('Users whose approval would count'),
  explanation: untrustedText.describe('Why, with the names of policies'),
  next: z.string(),
});

const decisions = {
  ALLOW: ['would_be_signed', 'Call propose_payment with the same fields and a reference.'],
  NEEDS_CONSENSUS: ['would_need_approval', 'Call propose_payment if your user wants to ask the people who may approve it.'],
  DENY: ['would_be_denied', 'Do not propose it. Tell your user why.'],
} as const;

/** How the service would decide on a request. Nothing is stored or signed. */
export async function decide(agent: Agent, request: Request): Promise<z.output<typeof decisionShape>> {
  const { decision, description, parsed } = await simulate(agent, request);
  const [outcome, next] = decisions[decision.outcome];
  return {
    outcome,
    ...(description !== undefined && { description: untrustedLong(description) }),
    effects: (parsed?.effects ?? []).map(showEffect),
    mayApprove: await showUsers(agent, decision.mayApprove ?? []),
    explanation: untrustedLong(decision.text),
    next,
  };
}

export const simulatePayment = defineReader({
  name: 'simulate_payment',
  title: 'Simulate a payment',
  description: 'Shows what a payment would do and whether policies would allow it, need approval or deny it. Nothing is signed.',
  input: z.strictObject(paymentInput),
  output: decisionShape,
  async run(agent, input) {
    return decide(agent, paymentRequest(await resolvePayment(agent, input), Date.now()));
  },
});

/** The part of a payment that is the same in every repetition. Nonces, blocks and fees may differ. */
const intentOf = ({ from, to, asset, amount }: PaymentInput) => ({ tool: 'payment', from, to, asset, amount });

export const proposePayment = defineSigner({
  name: 'propose_payment',
  title: 'Propose a payment',
  description:
    'Pays a contact or an address. On EVM networks the service sends the transaction if it can; otherwise the result is a signed transaction, not sent. A payment that needs approval is a result with the outcome pending_approval, not an error.',
  input: z.strictObject({ reference, purpose, ...paymentInput }),
  output: outcomeShape,
  async run(agent, { reference: name, purpose, ...input }) {
    const payment = await resolvePayment(agent, input);
    // Built before the journal is written, so that an input error uses no reference.
    paymentRequest(payment, Date.now());
    const { activity, isRepeated } = await propose(agent, {
      reference: name,
      intent: { ...intentOf(input), ...(purpose !== undefined && { purpose }) },
      make: (nowMs) => callOf(paymentRequest(payment, nowMs), agent.organizationId, nowMs, purpose),
    });
    return showOutcome(agent, activity, isRepeated);
  },
});
