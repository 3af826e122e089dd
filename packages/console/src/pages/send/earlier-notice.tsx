import { Notice } from '../../ui/page.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { words } from '../../words/index.ts';
import { FindingList } from '../approvals/findings.tsx';
import type { usePaymentBefore } from './use-payment-before.ts';

const texts = words.send;

/** Pending and signed requests for the same payment. */
export function EarlierNotice({ earlier }: { earlier: ReturnType<typeof usePaymentBefore> }) {
  const { findings, error, retry } = earlier;
  if (error) return <ErrorMessage error={error} retry={retry} />;
  if (findings === undefined) return <p className="text-sm text-quiet">{texts.comparing}</p>;
  if (findings.length === 0) return null;
  return (
    <Notice tone="bad" role="alert" title={texts.requestedBefore}>
      <FindingList findings={findings} />
    </Notice>
  );
}
