import { ago, dateTimeText, type Timestamp, toMs } from '../data/time.ts';

/** A relative time, with the exact time as a tooltip. */
export function When({ at }: { at: Timestamp }) {
  const ms = toMs(at);
  return (
    <time dateTime={new Date(ms).toISOString()} title={dateTimeText(ms)}>
      {ago(at)}
    </time>
  );
}
