import type { ReactNode } from 'react';
import { PageHead } from './page-head.tsx';
import { Tabs } from './tabs.tsx';

interface TabbedPageProps<Tab extends string> {
  title: string;
  lead: ReactNode;
  /** Labels by tab. */
  tabs: Readonly<Record<NoInfer<Tab>, string>>;
  tab: Tab;
  onTab(tab: NoInfer<Tab>): void;
  /** Actions of the selected tab. */
  actions: ReactNode;
  children: ReactNode;
}

/** A page with tabs. */
export function TabbedPage<Tab extends string>({ title, lead, tabs, tab, onTab, actions, children }: TabbedPageProps<Tab>) {
  return (
    <>
      <PageHead title={title} lead={lead}>
        {actions}
      </PageHead>
      <div className="max-w-sm">
        <Tabs
          label={title}
          value={tab}
          onChange={(next) => onTab(next as Tab)}
          tabs={(Object.entries(tabs) as [Tab, string][]).map(([value, label]) => ({ value, label }))}
        />
      </div>
      {children}
    </>
  );
}
