import * as Radix from '@radix-ui/react-tabs';

export interface Tab {
  readonly value: string;
  readonly label: string;
  readonly count?: number;
}

/** Tabs. The page renders the selected one. */
export function Tabs({
  label,
  value,
  onChange,
  tabs,
}: {
  label: string;
  value: string;
  onChange(value: string): void;
  tabs: readonly Tab[];
}) {
  return (
    <Radix.Root value={value} onValueChange={onChange} activationMode="automatic">
      <Radix.List aria-label={label} className="mb-3 flex gap-1 rounded-lg bg-sunken p-1">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="flex-1 rounded-md px-3 py-1 text-sm whitespace-nowrap text-quiet data-[state=active]:bg-surface data-[state=active]:font-medium data-[state=active]:text-ink data-[state=active]:shadow-sm"
          >
            {tab.label}
            {tab.count ? <span className="number ms-1.5 text-quiet">{tab.count}</span> : null}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} forceMount hidden />
      ))}
    </Radix.Root>
  );
}
