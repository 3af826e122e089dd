/** Icon paths on a 20 × 20 grid, stroke width 1.5. */
const paths = {
  overview: 'M3.5 16.5v-5m4.3 5V8m4.4 8.500v-6m4.3 6v-12',
  approvals: 'M4 10.500l3.600 3.600L16 5.800M4 16.500h12',
  activities: 'M3.500 5.500h2m3 0h8m-13 4.500h2m3 0h8m-13 4.500h2m3 0h8',
  wallets: 'M3.500 6.500h11a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2h-9a2 2 0 0 1-2-2v-9a2 2 0 0 1 2-2h8m.700 8.200h.100',
  sign: 'M4 16.500h12M5 13l8.200-8.200a1.800 1.800 0 0 1 2.500 2.500L7.500 15.500 4.500 16z',
  send: 'M3.500 10.500l13-7-4 13-3.200-4.700zM9.300 11.800l7.200-8.300',
  people:
    'M7.500 9.500a2.800 2.800 0 1 0 0-5.500 2.800 2.800 0 0 0 0 5.500zm-5 6.500c.500-2.800 2.500-4.200 5-4.200s4.500 1.400 5 4.200M13 4.300a2.800 2.800 0 0 1 0 5m1.600 2.900c1.600.600 2.600 1.900 2.900 3.800',
  policies: 'M10 3l6 2.200v4.600c0 3.400-2.500 6-6 7.200-3.500-1.200-6-3.800-6-7.200V5.200zM7.500 10l1.800 1.800 3.400-3.600',
  limits: 'M3.500 13.500a6.500 6.500 0 0 1 13 0M10 13.500l3-4M6 16.500h8',
  contacts:
    'M5 3.500h9a1.500 1.500 0 0 1 1.500 1.500v10a1.500 1.500 0 0 1-1.500 1.500H5zM3.500 7h1.500m-1.500 3h1.500m-1.500 3h1.500m5.200-3.500a1.700 1.700 0 1 0 0-3.400 1.700 1.700 0 0 0 0 3.400zm-2.700 4c.300-1.600 1.300-2.400 2.700-2.400s2.400.800 2.700 2.400',
  webhooks:
    'M7.200 8.800a3.200 3.200 0 1 1 4.600-2.600L9.500 11M12.600 9.600a3.200 3.200 0 1 1-.700 5.500M9 14h-3.300M4.600 11.400A3.200 3.200 0 1 0 9 14',
  network:
    'M10 16.500a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM3.800 8h12.400M3.800 12h12.400M10 3.500c-3.600 4-3.600 9 0 13 3.600-4 3.600-9 0-13z',
  organizations: 'M7.500 3.500h5v4h-5zM3 12.500h5v4H3zm9 0h5v4h-5zM10 7.500V10m-4.500 2.500V10h9v2.500',
  settings: 'M3.500 6h7m4 0h2M3.500 14h2m4 0h7M12.500 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zm-5 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  me: 'M10 10a3.200 3.200 0 1 0 0-6.400A3.200 3.200 0 0 0 10 10zm-6 6.500c.600-3.200 3-4.700 6-4.700s5.400 1.500 6 4.700',
  more: 'M4.500 10h.010M10 10h.010M15.500 10h.010',
  copy: 'M7 7V4.500A1 1 0 0 1 8 3.500h7.500a1 1 0 0 1 1 1V12a1 1 0 0 1-1 1H13M4.500 7H12a1 1 0 0 1 1 1v7.500a1 1 0 0 1-1 1H4.500a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1z',
  check: 'M4 10.500l4 4 8-9',
  cross: 'M5 5l10 10M15 5L5 15',
  warning: 'M10 3.500l7 12.500H3zM10 8v3.500m0 2.200v.100',
  chevron: 'M7.500 5l5 5-5 5',
  down: 'M5 7.500l5 5 5-5',
  back: 'M12.500 5l-5 5 5 5',
  plus: 'M10 4.500v11M4.500 10h11',
  search: 'M9 14.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11zm4-1.500l3.500 3.500',
  passkey:
    'M7.500 10a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM2.500 16.500c.400-2.800 2.300-4.200 5-4.200 1 0 1.900.200 2.700.600M14.500 12a2.200 2.200 0 1 0-.010 0v5l1.500-1.200-1-1.100',
  key: 'M12.500 11a3.700 3.700 0 1 0-3.600-2.800L3.500 13.500v3h3v-2h2v-2h1.400zM13.300 6.800h.010',
  secrets:
    'M5.500 9h9a1 1 0 0 1 1 1v5.500a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1V10a1 1 0 0 1 1-1zm1.500 0V6.500a3 3 0 0 1 6 0V9m-3 3v1.500',
  eye: 'M2.500 10S5.200 5 10 5s7.500 5 7.500 5-2.700 5-7.500 5-7.500-5-7.500-5zM10 12.300a2.300 2.300 0 1 0 0-4.600 2.300 2.300 0 0 0 0 4.600z',
  clock: 'M10 16.500a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM10 6.500V10l2.500 1.500',
  keyboard: 'M3 5.500h14v9H3zM6 8.500h.010M8.700 8.500h.010M11.400 8.500h.010M14 8.500h.010M6.500 11.500h7',
  out: 'M8 3.500H5a1.500 1.500 0 0 0-1.500 1.500v10A1.500 1.500 0 0 0 5 16.500h3M12.500 6.500L16 10l-3.500 3.500M16 10H8',
  qr: 'M3.500 3.500h5v5h-5zm8 0h5v5h-5zm-8 8h5v5h-5zm8 0h2v2h-2zm3 3h2v2h-2z',
  link: 'M8.500 11.500l3-3M9 6.500l1.700-1.700a3.200 3.200 0 0 1 4.500 4.500L13.500 11M11 13.500l-1.700 1.700a3.200 3.200 0 0 1-4.500-4.500L6.500 9',
} as const;

export type IconName = keyof typeof paths;

/** A line icon in the colour of the text, hidden from screen readers. */
export function Icon({ name, size = 20, className = '' }: { name: IconName; size?: number; className?: string }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={`shrink-0 ${className}`}
    >
      <path d={paths[name]} />
    </svg>
  );
}

/** The product logo: a countersigned letter C. */
export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 32 32"
      fill="none"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="shrink-0"
    >
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path d="M22.500 11.200A7.600 7.600 0 1 0 22.500 20.800" strokeWidth={2.6} className="stroke-on-accent opacity-60" />
      <path d="M12.600 16.400l2.700 2.700 8.200-8.400" strokeWidth={2.6} className="stroke-on-accent" />
    </svg>
  );
}
