import type { ListedActivity } from '@countersign/client';
import { useMutation } from '@tanstack/react-query';
import { apiBase } from '../../session/api.ts';
import { useSession } from '../../session/context.tsx';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/copy.tsx';
import { Fault } from '../../ui/fault.tsx';
import { Notice, Section } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';

const said = words.activities.proof;

/** Checks in this browser that the log of the service has the activity. */
export function Proof({ activity }: { activity: ListedActivity }) {
  const { reader } = useSession();
  const check = useMutation({
    mutationFn: async () => (await import('./check-proof.ts')).checkProof(reader, apiBase(), activity),
  });
  const proof = check.data;
  return (
    <Section
      title={said.title}
      lead={said.lead}
      action={
        <Button icon="check" busy={check.isPending} onClick={() => check.mutate()}>
          {said.check}
        </Button>
      }
    >
      {check.error && <Fault error={check.error} />}
      {proof && (
        <Notice tone={proof.holds ? 'good' : 'bad'} title={proof.holds ? said.included : said.failed}>
          <p>{proof.holds ? said.includedText(proof.leafIndex, proof.size) : (proof.reason ?? '')}</p>
          {proof.keyState === 'changed' && <p className="font-medium text-bad">{said.keyChanged}</p>}
          {proof.keyState === 'new' && <p className="text-quiet">{said.keyFirst}</p>}
          <p className="mt-1 text-sm text-quiet">{said.key}</p>
          <Code text={proof.key} what={said.key} />
        </Notice>
      )}
    </Section>
  );
}
