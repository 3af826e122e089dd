import { ago, dateTimeText, type Timestamp, toMs } from '../data/time.ts';

/** A time in words, with the exact one for whoever asks. */
export function When({ at }: { at: Timestamp }) {
  const ms = toMs(at);
  return (
    <time dateTime={new Date(ms).toISOString()} title={dateTimeText(ms)}>
      {ago(at)}
    </time>
  );
}
