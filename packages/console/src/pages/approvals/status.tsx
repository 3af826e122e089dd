import { Badge, type Tone } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';

const tones: Readonly<Record<string, Tone>> = {
  ACTIVITY_STATUS_COMPLETED: 'good',
  ACTIVITY_STATUS_CONSENSUS_NEEDED: 'wait',
  ACTIVITY_STATUS_REJECTED: 'bad',
  ACTIVITY_STATUS_FAILED: 'bad',
};

export function StatusBadge({ status }: { status: string }) {
  return <Badge tone={tones[status] ?? 'calm'}>{words.statuses[status] ?? status}</Badge>;
}
