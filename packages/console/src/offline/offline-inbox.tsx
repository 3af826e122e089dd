import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ago, dateTimeText } from '../data/time.ts';
import { escapeInvisible } from '../review/escape-invisible.ts';
import { useSession } from '../session/context.tsx';
import { BackLink } from '../ui/back-link.tsx';
import { Badge, Empty, Notice } from '../ui/page.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { Sentence } from '../ui/sentence.tsx';
import { words } from '../words/index.ts';
import { type KeptInbox, type KeptRequest, keptInbox } from './kept-inbox.ts';

const texts = words.shell.offlineInbox;
const { approvals } = words;

/** Pending requests as they were when the service last responded. They can be read, and nothing can be decided. */
export function OfflineInbox() {
  const { activityId } = useParams({ strict: false });
  const session = useSession();
  const query = useQuery({
    // The name marks a query that needs no network.
    queryKey: ['check', 'kept inbox', session.publicKey],
    queryFn: async () => (await keptInbox(session)) ?? null,
    gcTime: 0,
    // The list ends with the session.
    refetchInterval: 60_000,
  });
  return (
    <>
      {activityId === undefined ? (
        <PageHead title={approvals.title} lead={approvals.lead} />
      ) : (
        <BackLink to="/approvals" title={approvals.title} />
      )}
      <QueryView query={query}>
        {(kept) =>
          kept === null ? <Empty icon="clock" title={texts.none} text={texts.noneText} /> : <Kept {...{ kept, activityId }} />
        }
      </QueryView>
    </>
  );
}

function Kept({ kept: { atMs, requests }, activityId }: { kept: KeptInbox; activityId: string | undefined }) {
  const chosen = requests.filter(({ id }) => activityId === undefined || id === activityId);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Notice tone="wait" title={texts.asOf(dateTimeText(atMs))}>
        {texts.readOnly}
      </Notice>
      {chosen.length === 0 && <p className="text-quiet">{activityId === undefined ? texts.empty : texts.unknown}</p>}
      <ul className="grid gap-2">
        {chosen.map((request) => (
          <li key={request.id} className="card px-4 py-3">
            {activityId === undefined ? (
              <Link to="/approvals/$activityId" params={{ activityId: request.id }} className="block">
                <Request request={request} short />
              </Link>
            ) : (
              <Request request={request} />
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Request({ request: { sentence, who, createdAtMs, risk }, short = false }: { request: KeptRequest; short?: boolean }) {
  return (
    <>
      <span className="flex flex-wrap items-baseline justify-between gap-x-3 text-sm text-quiet">
        <span className="min-w-0 break-words">{approvals.asks(escapeInvisible(who))}</span>
        <span className="flex items-baseline gap-2">
          {risk === undefined && <Badge tone="wait">{texts.unchecked}</Badge>}
          {(risk === 'medium' || risk === 'high') && (
            <Badge tone={risk === 'high' ? 'bad' : 'wait'}>{approvals.risks[risk]}</Badge>
          )}
          {ago({ seconds: String(createdAtMs / 1000) })}
        </span>
      </span>
      <span className="mt-0.5 block text-lg leading-snug break-words">
        <Sentence text={sentence} short={short} />
      </span>
    </>
  );
}
