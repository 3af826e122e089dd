import { escapeInvisible } from '../../../review/escape-invisible.ts';
import { words } from '../../../words/index.ts';
import type { Obstacle } from './read-policy.ts';

const texts = words.policies.form;

/** Why the form does not show a policy. */
export function LockedForm({ obstacles }: { obstacles: readonly Obstacle[] }) {
  const parts = obstacles.flatMap((obstacle) => ('part' in obstacle ? [obstacle.part] : []));
  const [first] = obstacles.flatMap((obstacle) => ('whole' in obstacle ? [obstacle.whole] : []));
  return (
    <div className="card grid gap-2 p-4" role="status">
      <p className="font-medium">{texts.locked}</p>
      <p className="text-quiet">{first === undefined ? texts.lockedParts : texts.lockedWhole[first]}</p>
      {parts.map((part) => (
        <code key={part} className="font-mono text-sm break-words">
          {escapeInvisible(part)}
        </code>
      ))}
    </div>
  );
}
