import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAsk } from '../../data/ask.ts';
import { useWaiting } from '../../data/waiting.ts';
import { useSession } from '../../session/context.tsx';
import { Answer } from '../../ui/fault.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { PageHead, Section } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';
import { ActivityRow } from '../activities/activities.tsx';

const said = words.overview;

/** What waits, what happened, and the first steps of a new organization. */
export function OverviewPage() {
  const { organizationName } = useSession();
  const { mine, others } = useWaiting();
  const recent = useAsk('listActivities', { paginationOptions: { limit: '8' } });
  return (
    <>
      <PageHead title={said.title(organizationName)} lead={said.lead} />
      <div className="mb-8 grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure icon="approvals" label={said.waiting} value={mine.length} to="/approvals" loud={mine.length > 0} />
        <Figure icon="clock" label={said.waitingOthers} value={others.length} to="/approvals" />
      </div>
      <FirstSteps />
      <Section
        title={said.recent}
        action={
          <Link to="/activities" className="text-accent underline underline-offset-2">
            {said.seeAll}
          </Link>
        }
      >
        <Answer query={recent}>
          {({ activities }) => (
            <div className="card overflow-hidden">
              {activities.map((activity) => (
                <ActivityRow key={activity.id} activity={activity} />
              ))}
            </div>
          )}
        </Answer>
      </Section>
    </>
  );
}

export function Figure({
  icon,
  label,
  value,
  to,
  loud = false,
  note,
}: {
  icon: IconName;
  label: string;
  value: ReactNode;
  to: string;
  loud?: boolean;
  note?: string;
}) {
  return (
    <Link
      to={to}
      className={`card block px-4 py-3 hover:border-line-strong ${loud ? 'border-accent shadow-[inset_3px_0_0_var(--accent)]' : ''}`}
    >
      <span className="flex items-center gap-1.5 text-sm text-quiet">
        <Icon name={icon} size={16} />
        {label}
      </span>
      <span className="number mt-1 block text-3xl font-semibold tracking-tight">{value}</span>
      {note !== undefined && <span className="text-sm text-quiet">{note}</span>}
    </Link>
  );
}

/** What a new organization does first. A step that is done is ticked; when all are, the list goes away. */
function FirstSteps() {
  const wallets = useAsk('listWallets', {}).data?.wallets;
  const users = useAsk('listUsers', {}).data?.users;
  const policies = useAsk('listPolicies', {}).data?.policies;
  if (!wallets || !users || !policies) return null;
  const done = [wallets.length > 0, users.length > 1, policies.length > 0];
  if (done.every(Boolean)) return null;
  return (
    <Section title={said.nothingYet.title} lead={said.nothingYet.text}>
      <ol className="grid gap-3 md:grid-cols-3">
        {said.steps.map((step, index) => (
          <li key={step.title}>
            <Link to={step.to} className="card flex h-full items-start gap-3 px-4 py-4 hover:border-line-strong">
              <span
                className={`number inline-flex size-7 shrink-0 items-center justify-center rounded-full font-semibold ${done[index] ? 'bg-good-soft text-good' : 'bg-accent-soft text-accent'}`}
              >
                {done[index] ? <Icon name="check" size={16} /> : index + 1}
              </span>
              <span>
                <span className={`block font-semibold ${done[index] ? 'text-quiet line-through' : ''}`}>{step.title}</span>
                <span className="text-sm text-quiet">{step.text}</span>
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </Section>
  );
}
