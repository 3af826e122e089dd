import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';
import type { Draft } from './draft.ts';

const texts = words.policies.examples;

export function Examples({ use }: { use(draft: Partial<Draft>): void }) {
  return (
    <Section title={texts.title} lead={texts.lead}>
      <ul className="grid gap-2">
        {texts.list.map((example) => (
          <li key={example.name} className="card grid gap-2 px-4 py-3">
            <span className="font-medium">{example.name}</span>
            <code className="line-clamp-2 font-mono text-xs break-words text-quiet">{example.condition}</code>
            <span>
              <Button
                onClick={() =>
                  use({
                    policyName: example.name,
                    condition: example.condition,
                    consensus: example.consensus,
                    effect: 'effect' in example ? example.effect : 'EFFECT_ALLOW',
                    keepsConsensus: 'effect' in example && example.consensus !== '',
                  })
                }
              >
                {texts.use}
              </Button>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
