import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, useState } from 'react';
import { isNotOffered, messageOf } from '../../data/errors.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { groupDigits } from '../../review/group-digits.ts';
import { proverOf, useKnowledge } from '../../review/use-check.ts';
import { useSession } from '../../session/context.tsx';
import { ActionButton, DeniedNotice } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { Loading, Notice } from '../../ui/page.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { words } from '../../words/index.ts';
import { toLine } from '../activities/csv.ts';
import type { Account } from '../sign/account.ts';
import { Balance, FeeFit } from './balance.tsx';
import { prepareRows } from './batch-previews.ts';
import { BatchRows } from './batch-rows.tsx';
import { feesOf, highestFee } from './chains/ethereum.ts';
import { type CheckedRow, checkRows, totalsOf } from './check-rows.ts';
import { emptyDraft } from './draft.ts';
import { EthereumFeeFields } from './fees.tsx';
import { FileField } from './file-field.tsx';
import { assetsOf, inUnits, type PaidAsset } from './payment.ts';
import { readCsv } from './read-csv.ts';
import { type Results, SENT_BEFORE, useBatch, usedNonces } from './use-batch.ts';
import { useConfirmedLines, useExpected, useRepeated } from './use-batch-advice.ts';

const texts = words.send.batch;

/** Payments of a CSV file: a preview of every row, and then one activity for each. */
export function BatchForm({ account, network }: { account: Account; network: string }) {
  const known = useKnowledge();
  const fees = useServiceQuery('getFeeSuggestion', { caip2: network });
  const balances = useServiceQuery('getWalletAddressBalances', { address: account.address, caip2: network });
  const { organizationId, reader } = useSession();
  const [text, setText] = useState<string>();
  const [draft, setDraft] = useState(emptyDraft);
  const batch = useBatch();
  const suggestions = fees.data?.suggestions;
  const isSent = !isNotOffered(fees.error);
  const submits = isSent ? 'ethSendTransaction' : 'signTransaction';
  const assets = assetsOf(network, known?.knowledge.tokens ?? []);
  const rows = text === undefined || known === undefined ? undefined : readRows(text);
  const nonce = isSent ? undefined : draft.nonce.trim();
  const isNonceReady = nonce === undefined || /^\d{1,15}$/.test(nonce);
  const wanted = typeof rows === 'object' ? rows : undefined;
  const repeated = useRepeated(wanted, batch);
  const prepared = useQuery({
    queryKey: [
      ...['batch', organizationId, account.id, network, text, draft, suggestions, known?.version],
      // Which lines are left out decides about nonces only.
      nonce === undefined ? '' : [batch.runs, ...repeated.leftOut].join(),
    ],
    queryFn: async () =>
      prepareRows(wanted as readonly CheckedRow[], {
        ...{ organizationId, signer: account.signer, prover: await proverOf(reader), leftOut: repeated.leftOut },
        used: usedNonces(batch.results),
        firstNonce: nonce === undefined ? undefined : BigInt(nonce),
        knowledge: (known as NonNullable<typeof known>).knowledge,
      }),
    enabled: wanted !== undefined && isNonceReady,
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
  const expected = useExpected(prepared ?? [], batch.isRunning);
  const isLeft = (line: number) => !isDone(batch.results, line) && !repeated.leftOut.has(line);
  const left = (prepared ?? []).filter(({ row }) => isLeft(row.line));
  const denied = useConfirmedLines(expected.deniedAmong(left.map(({ row }) => row.line)));

  function readRows(source: string): readonly CheckedRow[] | string {
    const read = readCsv(source);
    if (typeof read === 'string') return texts.fileProblems[read];
    const feesFor = (asset: PaidAsset) => feesOf(draft, asset, suggestions);
    const { contacts } = (known as NonNullable<typeof known>).knowledge;
    return checkRows(read, { from: account.address, network, assets, contacts, feesFor }) ?? texts.fileProblems.columns;
  }

  if (known === undefined || fees.isPending) return <Loading />;
  const isRight = prepared?.every(({ preview, refused }) => preview !== undefined && refused === undefined) ?? false;
  const isChecked = repeated.isLoaded && expected.isSettled && (denied.lines.length === 0 || denied.isConfirmed);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <DeniedNotice submits={submits} />
      <FileField
        disabled={batch.isRunning}
        onText={(next) => {
          setText(next);
          batch.clear();
          repeated.again.confirm(false);
          denied.confirm(false);
        }}
      />
      <EthereumFeeFields
        draft={draft}
        asset={assets[0] as PaidAsset}
        suggestions={suggestions}
        onChange={(more) => setDraft((before) => ({ ...before, ...more }))}
      />
      {!isSent && (
        <TextField
          label={texts.firstNonce}
          hint={words.send.nonceHint}
          inputMode="numeric"
          value={draft.nonce}
          onChange={(next) => setDraft((before) => ({ ...before, nonce: next }))}
        />
      )}
      <p className="text-sm text-quiet">{isSent ? words.send.willSend : words.send.willSign}</p>
      {typeof rows === 'string' && <Notice tone="bad" role="alert" title={rows} />}
      {repeated.error && <ErrorMessage error={repeated.error} retry={repeated.retry} />}
      {wanted && (
        <BatchRows
          rows={prepared ?? wanted.map((row) => ({ row }))}
          results={batch.results}
          adviceOn={(line) => ({
            findings: repeated.findings.get(line) ?? [],
            isLeftOut: repeated.leftOut.has(line),
            outcome: expected.outcomeOf(line),
          })}
        >
          <Sums rows={wanted} balances={balances.data?.balances} isSent={isSent} />
        </BatchRows>
      )}
      {wanted && <FeeSum rows={wanted} coin={assets[0] as PaidAsset} balances={balances.data?.balances} />}
      {wanted && expected.error && (
        <Notice tone="wait" role="alert" title={texts.decisionsUnknown}>
          {messageOf(expected.error)}
        </Notice>
      )}
      <Confirmations again={repeated.again} denied={denied} />
      {wanted && (
        <div className="flex flex-wrap items-center gap-3">
          <ActionButton
            submits={submits}
            look="solid"
            icon="passkey"
            large
            busy={batch.isRunning}
            disabled={!isRight || !isChecked || left.length === 0}
            onClick={() => void batch.run(left)}
          >
            {texts.submit(left.length)}
          </ActionButton>
          <Outcome rows={wanted} results={batch.results} />
        </div>
      )}
    </div>
  );
}

type Balances = ComponentProps<typeof Balance>['balances'];

interface SumsProps {
  rows: readonly CheckedRow[];
  balances: Balances;
  isSent: boolean;
}

/** What the rows pay in each asset, next to the balance. */
function Sums({ rows, balances, isSent }: SumsProps) {
  return (
    <>
      {totalsOf(rows).map(({ asset, amount }) => (
        <li key={asset.id} className="flex flex-wrap items-baseline gap-x-2">
          <span className="number font-medium">
            {groupDigits(inUnits(amount, asset))} {asset.symbol}
          </span>
          <span className="text-sm text-quiet">
            <Balance asset={asset} amount={amount} balances={balances} isSent={isSent} />
          </span>
        </li>
      ))}
    </>
  );
}

/** Warns if the balance does not pay the fees of the rows too. */
function FeeSum({ rows, coin, balances }: { rows: readonly CheckedRow[]; coin: PaidAsset; balances: Balances }) {
  const amount = totalsOf(rows).find(({ asset }) => asset.id === coin.id)?.amount ?? 0n;
  const fee = rows.reduce((sum, { payment }) => sum + (payment === undefined ? 0n : highestFee(payment.fees)), 0n);
  return <FeeFit coin={coin} amount={amount} fee={fee} balances={balances} />;
}

type Confirmation = ReturnType<typeof useConfirmedLines>;

function Confirmations({ again, denied }: { again: Confirmation; denied: Confirmation }) {
  return (
    <>
      {again.lines.length > 0 && (
        <CheckField
          label={texts.again(again.lines.length)}
          hint={texts.againHint}
          checked={again.isConfirmed}
          onChange={again.confirm}
        />
      )}
      {denied.lines.length > 0 && (
        <CheckField label={texts.denied(denied.lines.length)} checked={denied.isConfirmed} onChange={denied.confirm} />
      )}
    </>
  );
}

function Outcome({ rows, results }: { rows: readonly CheckedRow[]; results: Results }) {
  return (
    <>
      {results.size > 0 && (
        <Button look="quiet" onClick={() => saveResults(rows, results)}>
          {texts.save}
        </Button>
      )}
      <span className="text-sm text-quiet" role="status">
        {results.size > 0 && progressOf(rows, results)}
      </span>
    </>
  );
}

const isDone = (results: Results, line: number) => results.get(line)?.activityId !== undefined;

function progressOf(rows: readonly CheckedRow[], results: Results): string {
  const done = rows.filter(({ line }) => isDone(results, line));
  const before = done.filter(({ line }) => results.get(line)?.status === SENT_BEFORE);
  return texts.progress(done.length - before.length, rows.length, before.length);
}

/** Saves the result of every row. */
function saveResults(rows: readonly CheckedRow[], results: Results): void {
  const lines = rows.map(({ line, recipient, amount, asset, reference }) => {
    const { activityId = '', status = '', error = '' } = results.get(line) ?? {};
    return toLine([String(line), recipient, amount, asset, reference, status.replace('ACTIVITY_STATUS_', ''), activityId, error]);
  });
  const head = toLine(texts.columns);
  saveFile('payments-result.csv', 'text/csv', `\u{feff}${[head, ...lines].join('\r\n')}\r\n`);
}
