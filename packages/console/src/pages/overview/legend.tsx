/** Legend of a plot. Dashed lines are also dashed here, so that colours are not the only difference. */
export function Legend({
  entries,
}: {
  entries: readonly { readonly label: string; readonly colour: string; readonly line?: 'solid' | 'dashed' }[];
}) {
  return (
    <figcaption className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-sm text-quiet">
      {entries.map(({ label, colour, line }) => (
        <span key={label} className="inline-flex items-center gap-1.5">
          <span
            aria-hidden="true"
            className={line === undefined ? 'inline-block size-2.5 rounded-sm' : 'inline-block w-5 border-t-2'}
            style={
              line === undefined ? { background: `var(${colour})` } : { borderColor: `var(${colour})`, borderTopStyle: line }
            }
          />
          {label}
        </span>
      ))}
    </figcaption>
  );
}
