import { explorerLink } from '../data/explorer-link.ts';
import { explorerUrls } from '../session/api.ts';
import { words } from '../words/index.ts';
import { Code } from './copy.tsx';

/** The hash of a transaction, with a link to the operator's explorer of its chain. The explorer does not learn where the link was. */
export function TransactionHash({ hash, chain }: { hash: string; chain: unknown }) {
  const href = explorerLink(explorerUrls(), chain, hash);
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-3">
      <Code text={hash} what={words.approvals.transactionHash} />
      {href !== undefined && (
        <a href={href} target="_blank" rel="noopener noreferrer" className="text-sm text-accent underline underline-offset-2">
          {words.approvals.explorer(new URL(href).host)}
        </a>
      )}
    </span>
  );
}
