import { dateText, dateTimeText } from '../../data/time.ts';
import { words } from '../../words/index.ts';

const texts = words.overview;

interface Row {
  /** Start of the interval, in milliseconds since 1970. */
  readonly ms: number;
  readonly values: readonly (string | number)[];
}

/** Figures of a plot as a table, for accessibility. */
export function IntervalTable({ heads, rows, isDaily }: { heads: readonly string[]; rows: readonly Row[]; isDaily: boolean }) {
  return (
    <details className="mt-3 text-sm">
      <summary className="text-quiet underline underline-offset-2">{texts.table}</summary>
      {rows.length === 0 ? (
        <p className="mt-2 text-quiet">{texts.noData}</p>
      ) : (
        <table className="number mt-2 w-full text-start">
          <thead>
            <tr className="text-quiet">
              <th scope="col" className="text-start font-medium">
                {texts.when}
              </th>
              {heads.map((head) => (
                <th key={head} scope="col" className="text-end font-medium">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ ms, values }) => (
              <tr key={ms} className="border-t border-line">
                <td>{isDaily ? dateText(ms) : dateTimeText(ms)}</td>
                {values.map((value, index) => (
                  <td key={heads[index]} className="text-end">
                    {value}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}
