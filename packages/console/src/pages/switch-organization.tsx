import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useSession, useSessionState } from '../session/context.tsx';
import { forgetOrganization, knownOrganizations } from '../session/known-organizations.ts';
import { Button } from '../ui/button.tsx';
import { Name } from '../ui/name.tsx';
import { Section } from '../ui/page.tsx';
import { RowActions } from '../ui/row-actions.tsx';
import { words } from '../words/index.ts';

const texts = words.me.switch;
const queryKey = ['known-organizations'];

/** Other organizations of this browser. Opening one ends this session, and needs a passkey of that organization. */
export function SwitchOrganization() {
  const { organizationId: current } = useSession();
  const { end } = useSessionState();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const known = useQuery({ queryKey, queryFn: knownOrganizations }).data ?? [];
  const others = known.filter(({ organizationId }) => organizationId !== current);
  const open = async (organization: string) => {
    // The sign-in page opens at the end of the session, with the organization of the address.
    void navigate({ to: '/', search: { organization } as never });
    await end();
  };
  const forget = async (organizationId: string) => {
    await forgetOrganization(organizationId);
    await queries.invalidateQueries({ queryKey });
  };
  return (
    <Section title={texts.title} lead={texts.lead}>
      <ul className="card divide-y divide-line">
        {others.map(({ organizationId, organizationName }) => (
          <li key={organizationId} className="flex flex-wrap items-center gap-3 px-4 py-2.5">
            <span className="min-w-0 flex-1 basis-48 font-medium break-words">
              <Name text={organizationName} />
              <code className="block font-mono text-xs font-normal text-quiet">{organizationId}</code>
            </span>
            <RowActions>
              <Button look="quiet" onClick={() => void open(organizationId)}>
                {texts.open}
              </Button>
              <Button look="quiet" onClick={() => void forget(organizationId)}>
                {texts.forget}
              </Button>
            </RowActions>
          </li>
        ))}
        {others.length === 0 && <li className="px-4 py-3 text-quiet">{texts.none}</li>}
      </ul>
    </Section>
  );
}
