import { quotedReference } from '@countersign/contract';
import { Link } from '@tanstack/react-router';
import { dateTimeText } from '../../data/time.ts';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { writerName } from '../../review/person-name.ts';
import type { KeyClaim } from '../../review/types.ts';
import { Code } from '../../ui/copy.tsx';
import { Section } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';

const texts = words.approvals;

/** The wallets and keys that a request names by their ids, with the names that the log proves. */
export function Keys({ keys }: { keys: readonly KeyClaim[] }) {
  if (keys.length === 0) return null;
  return (
    <Section title={texts.keys}>
      <ul className="card divide-y divide-line">
        {keys.map((key) => (
          <li key={`${key.kind} ${key.id}`} className="grid gap-1 px-4 py-3 sm:grid-cols-[9.5rem_1fr]">
            <span className="text-sm text-quiet">{key.kind}</span>
            <KeyName claim={key} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** SECURITY: D1096: a user chose the name, so that the id is always shown with it, and who wrote it and when. */
function KeyName({ claim: { kind, id, name, address, proof } }: { claim: KeyClaim }) {
  const quoted = escapeInvisible(quotedReference(name ?? ''));
  return (
    <div className="min-w-0">
      {proof && <p className="font-medium break-words">{address === undefined ? quoted : texts.accountOf(address, quoted)}</p>}
      <Code text={id} what={kind} />
      {proof && (
        <p className="text-sm text-quiet">
          <Link to="/activities/$activityId" params={{ activityId: proof.activityId }} className="underline underline-offset-2">
            {texts.contactWritten(writerName(proof), dateTimeText(proof.atMs))}
          </Link>
        </p>
      )}
    </div>
  );
}
