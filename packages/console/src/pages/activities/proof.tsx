import type { ListedActivity } from '@countersign/client';
import { useMutation } from '@tanstack/react-query';
import { apiBase } from '../../session/api.ts';
import { useSession } from '../../session/context.tsx';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/copy.tsx';
import { Notice, Section } from '../../ui/page.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { words } from '../../words/index.ts';

const texts = words.activities.proof;

/** Verifies the log proof of the activity in this browser. */
export function Proof({ activity }: { activity: ListedActivity }) {
  const { reader } = useSession();
  const check = useMutation({
    mutationFn: async () => (await import('./check-proof.ts')).checkProof(reader, apiBase(), activity),
  });
  const proof = check.data;
  return (
    <Section
      title={texts.title}
      lead={texts.lead}
      action={
        <Button icon="check" busy={check.isPending} onClick={() => check.mutate()}>
          {texts.check}
        </Button>
      }
    >
      {check.error && <ErrorMessage error={check.error} />}
      {proof && (
        <Notice tone={proof.holds ? 'good' : 'bad'} title={proof.holds ? texts.included : texts.failed}>
          <p>{proof.holds ? texts.includedText(proof.leafIndex, proof.size) : (proof.reason ?? '')}</p>
          {proof.keyState === 'changed' && <p className="font-medium text-bad">{texts.keyChanged}</p>}
          {proof.keyState === 'new' && <p className="text-quiet">{texts.keyFirst}</p>}
          <p className="mt-1 text-sm text-quiet">{texts.key}</p>
          <Code text={proof.key} what={texts.key} />
        </Notice>
      )}
    </Section>
  );
}
