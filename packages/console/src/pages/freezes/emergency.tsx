import type { Client } from '@countersign/client';
import { useServiceQuery } from '../../data/service-query.ts';
import { useSession } from '../../session/context.tsx';
import { Code } from '../../ui/copy.tsx';
import { Name } from '../../ui/name.tsx';
import { Section } from '../../ui/page.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';
import { FreezeButton, type FreezeTarget, useFreezes } from './freeze-button.tsx';

const texts = words.freezes;

type Freeze = Awaited<ReturnType<Client['listFreezes']>>['freezes'][number];

const targetOf: Record<Freeze['target'], (id: string) => FreezeTarget> = {
  ORGANIZATION: () => ({ wholeOrganization: true }),
  USER: (id) => ({ userIds: [id] }),
  WALLET: (id) => ({ walletIds: [id] }),
  PRIVATE_KEY: (id) => ({ privateKeyIds: [id] }),
};

/**
 * Freezes the organization, and lists what is frozen. A frozen member of the root quorum reads only this list, and can ask for an
 * unfreeze here.
 */
export function Emergency() {
  const { organizationId } = useSession();
  const freezes = useFreezes();
  const isFrozen = freezes.some(({ targetId }) => targetId === organizationId);
  return (
    <Section title={texts.organizationTitle}>
      <div className="card overflow-hidden">
        {!isFrozen && (
          <div className={rowClass}>
            <p className="min-w-0 flex-1 basis-48">{texts.organizationText}</p>
            <FreezeButton target={{ wholeOrganization: true }} name={texts.organizationName} />
          </div>
        )}
        {freezes.map((freeze) => (
          <FreezeRow key={freeze.targetId} freeze={freeze} />
        ))}
      </div>
    </Section>
  );
}

const rowClass = 'flex flex-wrap items-center justify-between gap-3 border-b border-line px-5 py-4 last:border-b-0';

/** Frozen people read no names: they see ids. */
function useUserName(userId: string, enabled = true): string | undefined {
  return useServiceQuery('getUser', { userId }, { enabled }).data?.user.userName;
}

function FreezeRow({ freeze: { target, targetId, reason, frozenAt, frozenBy } }: { freeze: Freeze }) {
  const frozen = useUserName(targetId, target === 'USER');
  const by = useUserName(frozenBy);
  return (
    <div className={rowClass}>
      <div className="min-w-0 flex-1 basis-48">
        <p className="font-semibold break-words">
          {texts.targets[target]}: <Name text={reason} />
        </p>
        {frozen !== undefined && (
          <p>
            <Name text={frozen} />
          </p>
        )}
        {target !== 'ORGANIZATION' && <Code text={targetId} what={words.common.id} />}
        <p className="text-sm break-words text-quiet">
          <When at={frozenAt} /> · <Name text={by === undefined ? texts.frozenByUser(frozenBy) : texts.frozenBy(by)} />
        </p>
      </div>
      <FreezeButton target={targetOf[target](targetId)} name={texts.targets[target]} />
    </div>
  );
}
