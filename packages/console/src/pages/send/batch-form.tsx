import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import { isNotOffered } from '../../data/errors.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { signerFor } from '../../review/check-activity.ts';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { groupDigits } from '../../review/group-digits.ts';
import { proverOf, useKnowledge } from '../../review/use-check.ts';
import { useSession } from '../../session/context.tsx';
import { ActionButton, DeniedNotice } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Name } from '../../ui/name.tsx';
import { Loading, Notice } from '../../ui/page.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Sentence } from '../../ui/sentence.tsx';
import { words } from '../../words/index.ts';
import { toLine } from '../activities/csv.ts';
import type { Account } from '../sign/account.ts';
import { Balance } from './balance.tsx';
import { type PreparedRow, prepareRows } from './batch-previews.ts';
import { feesOf } from './chains/ethereum.ts';
import { type CheckedRow, checkRows, totalsOf } from './check-rows.ts';
import { emptyDraft } from './draft.ts';
import { EthereumFeeFields } from './fees.tsx';
import { assetsOf, inUnits, type PaidAsset } from './payment.ts';
import { MOST_CHARACTERS, readCsv } from './read-csv.ts';
import { type Results, type RowResult, useBatch } from './use-batch.ts';

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
  const prepared = useQuery({
    queryKey: ['batch', organizationId, account.walletAccountId, network, text, draft, suggestions, known?.version],
    queryFn: async () =>
      prepareRows(wanted as readonly CheckedRow[], {
        ...{ organizationId, text: text as string, signer: signerFor(account), prover: await proverOf(reader) },
        firstNonce: nonce === undefined ? undefined : BigInt(nonce),
        knowledge: (known as NonNullable<typeof known>).knowledge,
      }),
    enabled: wanted !== undefined && isNonceReady,
    staleTime: Number.POSITIVE_INFINITY,
  }).data;

  function readRows(source: string): readonly CheckedRow[] | string {
    const read = readCsv(source);
    if (typeof read === 'string') return texts.fileProblems[read];
    const feesFor = (asset: PaidAsset) => feesOf(draft, asset, suggestions);
    const { contacts } = (known as NonNullable<typeof known>).knowledge;
    return checkRows(read, { from: account.address, network, assets, contacts, feesFor }) ?? texts.fileProblems.columns;
  }

  if (known === undefined || fees.isPending) return <Loading />;
  const isReady = prepared?.every(({ preview, refused }) => preview !== undefined && refused === undefined) ?? false;
  const left = prepared?.filter(({ row }) => batch.results.get(row.line)?.activityId === undefined).length ?? 0;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <DeniedNotice submits={submits} />
      <FileField
        onText={(next) => {
          setText(next);
          batch.clear();
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
      {wanted && (
        <Rows rows={prepared ?? wanted.map((row) => ({ row }))} results={batch.results}>
          {totalsOf(wanted).map(({ asset, amount }) => (
            <li key={asset.id} className="flex flex-wrap items-baseline gap-x-2">
              <span className="number font-medium">
                {groupDigits(inUnits(amount, asset))} {asset.symbol}
              </span>
              <span className="text-sm text-quiet">
                <Balance asset={asset} amount={amount} balances={balances.data?.balances} isSent={isSent} />
              </span>
            </li>
          ))}
        </Rows>
      )}
      {wanted && (
        <div className="flex flex-wrap items-center gap-3">
          <ActionButton
            submits={submits}
            look="solid"
            icon="passkey"
            large
            busy={batch.isRunning}
            disabled={!isReady || left === 0}
            onClick={() => void batch.run(prepared ?? [])}
          >
            {texts.submit(left)}
          </ActionButton>
          {batch.results.size > 0 && (
            <Button look="quiet" onClick={() => saveResults(wanted, batch.results)}>
              {texts.save}
            </Button>
          )}
          <span className="text-sm text-quiet" role="status">
            {batch.results.size > 0 && texts.progress(wanted.length - left, wanted.length)}
          </span>
        </div>
      )}
    </div>
  );
}

function FileField({ onText }: { onText(text: string | undefined): void }) {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {texts.file}
      </label>
      <input
        id={id}
        type="file"
        accept=".csv,text/csv,text/plain"
        aria-describedby={`${id}-hint`}
        className="field"
        onChange={async ({ target }) => {
          const [file] = target.files ?? [];
          // A file that is too long is not read. One more character than allowed is enough to refuse it.
          onText(file && (await file.slice(0, MOST_CHARACTERS * 4 + 4).text()));
        }}
      />
      <p id={`${id}-hint`} className="text-sm text-quiet">
        {texts.fileHint}
      </p>
    </div>
  );
}

/** Every row with what it does, or what is wrong with it. `children` are the sums of those that are right. */
function Rows({ rows, results, children }: { rows: readonly PreparedRow[]; results: Results; children: ReactNode }) {
  const wrong = rows.filter(({ row, refused }) => row.problem !== undefined || refused !== undefined).length;
  return (
    <section aria-label={texts.preview} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p className="font-medium">{texts.summary(rows.length)}</p>
      <ul className="grid gap-1">{children}</ul>
      {wrong > 0 && <Notice tone="bad" role="alert" title={texts.wrong(wrong)} />}
      <ol className="card divide-y divide-line">
        {rows.map((prepared) => (
          <RowItem key={prepared.row.line} prepared={prepared} result={results.get(prepared.row.line)} />
        ))}
      </ol>
    </section>
  );
}

function RowItem({ prepared: { row, preview, refused }, result }: { prepared: PreparedRow; result: RowResult | undefined }) {
  const { line, recipient, amount, asset, problem, isDuplicate } = row;
  return (
    <li className="grid gap-1 px-4 py-3">
      <p className="flex flex-wrap items-baseline gap-x-3 text-sm text-quiet">
        <span>{texts.line(line)}</span>
        {isDuplicate && <span className="font-medium text-bad">{texts.duplicate}</span>}
        {result && <Result result={result} />}
      </p>
      {preview === undefined || refused !== undefined ? (
        <p className="break-words">{escapeInvisible(`${recipient} · ${amount} ${asset}`)}</p>
      ) : (
        <p className="text-xl leading-snug break-words">
          <Sentence text={escapeInvisible(preview.reading.sentence)} />
        </p>
      )}
      {row.reference !== '' && (
        <p className="text-sm break-words text-quiet">
          {words.references.label}: <Name text={row.reference} />
        </p>
      )}
      {problem !== undefined && <p className="font-medium text-bad">{texts.rowProblems[problem]}</p>}
      {refused !== undefined && <p className="font-medium text-bad">{refusal(refused)}</p>}
    </li>
  );
}

function refusal(refused: NonNullable<PreparedRow['refused']>): string {
  if (typeof refused === 'object') return refused.text;
  return refused === 'unprovenContact' ? texts.unprovenContact : words.send.problems[refused];
}

function Result({ result: { activityId, status = '', error } }: { result: RowResult }): ReactNode {
  if (activityId === undefined) return <span className="text-bad">{escapeInvisible(error ?? words.common.failed)}</span>;
  return (
    <Link to="/activities/$activityId" params={{ activityId }} className="text-accent underline underline-offset-2">
      {words.statuses[status] ?? status}
    </Link>
  );
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
