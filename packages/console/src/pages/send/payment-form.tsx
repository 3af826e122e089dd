import { quotedReference } from '@countersign/contract';
import { Link } from '@tanstack/react-router';
import { isNotOffered } from '../../data/errors.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { useTokensAndInterfaces } from '../../review/use-check.ts';
import { ActionButton, DeniedNotice } from '../../ui/action-button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Loading, Notice } from '../../ui/page.tsx';
import { ReferenceField, referenceError, referenceOption } from '../../ui/reference.tsx';
import { Sentence } from '../../ui/sentence.tsx';
import { words } from '../../words/index.ts';
import { Effects } from '../approvals/effects.tsx';
import type { Account } from '../sign/account.ts';
import { Simulation } from '../sign/simulation.tsx';
import { amountIn, Balance, FeeFit } from './balance.tsx';
import { amountProblem, paymentOf, receiverProblem } from './check-draft.ts';
import { EarlierNotice } from './earlier-notice.tsx';
import { FeeFields } from './fees.tsx';
import { NotBuilt } from './not-built.tsx';
import { assetsOf, type PaidAsset } from './payment.ts';
import { paymentChainOf } from './payment-chains.ts';
import type { Preview } from './preview.ts';
import { Recipient } from './recipient.tsx';
import { useDraft } from './use-draft.ts';
import { usePreview } from './use-payment.ts';
import { usePaymentBefore } from './use-payment-before.ts';
import { useSubmitPayment } from './use-submit-payment.ts';

const texts = words.send;

/** One payment from an account on a network. It is sent if the service is connected to the network, and signed otherwise. */
export function PaymentForm({ account, network }: { account: Account; network: string }) {
  const known = useTokensAndInterfaces();
  const fees = useServiceQuery('getFeeSuggestion', { caip2: network });
  const balances = useServiceQuery('getWalletAddressBalances', { address: account.address, caip2: network });
  const { draft, picked, named, change, clear } = useDraft(account, network);
  const chain = paymentChainOf(network);
  const assets = assetsOf(network, known?.knowledge.tokens ?? []);
  const asset = assets.find(({ id }) => id === draft.assetId) ?? (assets[0] as PaidAsset);
  const suggestions = fees.data?.suggestions;
  // SECURITY: D987: a node that cannot suggest a fee now is a connection. A payment that is only signed would disturb the nonces of the service.
  const isSent = !isNotOffered(fees.error);
  const submits = isSent ? chain.sends : 'signTransaction';
  const hasNonce = !isSent && chain.withoutNode === 'NONCE';
  const around = { account, network, asset };
  const payment = paymentOf(draft, chain.feesOf(draft, asset, suggestions), around);
  const preview = usePreview({
    ...{ account, payment, picked, nonce: hasNonce ? draft.nonce.trim() : undefined, timestampMs: named.timestampMs },
    idempotencyKey: isSent ? named.idempotencyKey : undefined,
  });
  const submit = useSubmitPayment({ onSent: clear, ...referenceOption(draft.reference) });
  const shown = typeof preview === 'object' && preview.problem === undefined ? preview : undefined;
  const earlier = usePaymentBefore(shown, submit.submittedAt);
  if (known === undefined || fees.isPending) return <Loading />;
  if (!isSent && chain.withoutNode !== 'NONCE') return <NotBuilt canPaste={chain.withoutNode === 'PASTED'} />;
  const receiver = draft.recipient.trim() === '' ? undefined : receiverProblem(draft.recipient, around);
  const problem = amountProblem(draft.amount, asset);
  // SECURITY: D1131: nothing is submitted before it was compared with earlier requests.
  const isReady = earlier.findings !== undefined && referenceError(draft.reference) === undefined;
  const ready = isReady ? shown : undefined;
  return (
    <form
      className="grid grid-cols-[minmax(0,1fr)] gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        // What is submitted is what was decoded.
        if (ready !== undefined) submit.run(ready.request);
      }}
    >
      <DeniedNotice submits={submits} />
      <Recipient
        value={draft.recipient}
        onChange={(recipient, contact) => change({ recipient }, { picked: contact })}
        error={receiver && texts.receiverProblems[receiver]}
        network={network}
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <SelectField
          label={texts.asset}
          value={asset.id}
          onChange={(assetId) => change({ assetId })}
          options={assets.map(({ id, symbol, contract, isOwn }) => ({
            value: id,
            label: isOwn ? `${symbol} · ${contract}` : symbol,
          }))}
        />
        <TextField
          label={texts.amount}
          inputMode="decimal"
          value={draft.amount}
          onChange={(amount) => change({ amount })}
          error={problem === undefined ? undefined : texts.amountProblems[problem]}
          hint={
            <Balance asset={asset} amount={amountIn(draft.amount, asset)} balances={balances.data?.balances} isSent={isSent} />
          }
        />
      </div>
      {chain.hasMemo && (
        <TextField label={texts.memo} hint={texts.memoHint} optional value={draft.memo} onChange={(memo) => change({ memo })} />
      )}
      <ReferenceField value={draft.reference} onChange={(next) => change({ reference: next })} />
      <FeeFields draft={draft} asset={asset} suggestions={suggestions} onChange={change} />
      {hasNonce && (
        <TextField
          label={texts.nonce}
          hint={texts.nonceHint}
          inputMode="numeric"
          value={draft.nonce}
          onChange={(nonce) => change({ nonce })}
        />
      )}
      <p className="text-sm text-quiet">{isSent ? texts.willSend : texts.willSign}</p>
      <Shown preview={preview} />
      {shown && payment && (
        <>
          <EarlierNotice earlier={earlier} />
          <FeeFit
            coin={assets[0] as PaidAsset}
            amount={asset.contract === undefined ? payment.amount : 0n}
            fee={chain.mostFee(payment, shown.request)}
            balances={balances.data?.balances}
          />
        </>
      )}
      <div>
        <ActionButton
          submits={submits}
          type="submit"
          look="solid"
          icon="passkey"
          large
          busy={submit.isPending}
          disabled={ready === undefined}
        >
          {texts.submit}
        </ActionButton>
      </div>
      {submit.activity && <Submitted activityId={submit.activity.id} />}
    </form>
  );
}

function Submitted({ activityId }: { activityId: string }) {
  return (
    <Notice tone="good" title={texts.submitted}>
      <Link to="/activities/$activityId" params={{ activityId }} className="font-medium text-accent underline underline-offset-2">
        {texts.open}
      </Link>
    </Notice>
  );
}

/** What the request does, in the words that approvers read, and the expected decision. */
function Shown({ preview }: { preview: Preview | string | undefined }) {
  if (preview === undefined) return null;
  if (typeof preview === 'string') return <Notice tone="bad" role="alert" title={preview} />;
  const { reading, names, problem, request } = preview;
  if (problem !== undefined) return <Notice tone="bad" role="alert" title={texts.problems[problem]} />;
  const { unusualWords } = words.approvals;
  const unproven = names.filter(({ kind, proof }) => kind === 'contact' && proof === undefined);
  return (
    <>
      <p className="text-xl leading-snug break-words">
        <Sentence text={escapeInvisible(reading.sentence)} />
      </p>
      {unproven.map(({ name, address }) => (
        <Notice
          key={address}
          tone="bad"
          role="alert"
          title={escapeInvisible(unusualWords.unprovenContact(quotedReference(name), address))}
        />
      ))}
      <Effects reading={reading} names={names} />
      <Simulation type={request.type} parameters={request.parameters} />
    </>
  );
}
