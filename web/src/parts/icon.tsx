/** A small set of drawings, each of one path, in the colour of the text around them. */
const drawings = {
  home: 'M3 10.5 12 3l9 7.5M5.5 9v11h13V9',
  launch: 'M12 19V6m0 0-5 5m5-5 5 5M5 21h14',
  cpu: 'M7 7h10v10H7zM10 3v4m4-4v4m-4 10v4m4-4v4M3 10h4m-4 4h4m10-4h4m-4 4h4',
  shield: 'M12 3 5 6v5c0 4.5 3 8 7 10 4-2 7-5.5 7-10V6l-7-3Zm-3 9 2 2 4-4',
  key: 'M8 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm3-7 9-9m-4 4 3 3m-6 0 2 2',
  token: 'M4 7h16v10H4zM8 12h.01M12 12h.01M16 12h.01',
  robot: 'M6 9h12v9H6zM12 9V5m-2 0h4M9.5 13h.01M14.5 13h.01M3 12v3m18-3v3',
  devices: 'M4 5h13v9H4zM2 18h13m2-8h4v9h-4z',
  team: 'M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm-6 8c.5-3.5 3-5 6-5s5.500 1.500 6 5m1-14a3 3 0 0 1 0 6m2 3c1.800.700 2.800 2.300 3 5',
  activity: 'M3 12h4l3-7 4 14 3-7h4',
  wall: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z',
  server: 'M4 4h16v6H4zM4 14h16v6H4zM8 7h.01M8 17h.01',
  plus: 'M12 5v14M5 12h14',
  tag: 'M4 4h8l8 8-8 8-8-8zM8.500 8.500h.01',
  wallet: 'M4 7h15a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1zM4 7l11-3v3M16 13h.01',
  rules: 'M5 6h14M5 12h14M5 18h14M9 4v4m6 2v4m-4 2v4',
  mail: 'M3 6h18v12H3zM3 7l9 7 9-7',
  book: 'M5 4h12a2 2 0 0 1 2 2v14H7a2 2 0 0 1-2-2zM9 8h6M9 12h6',
  flask: 'M9 3h6M10 3v6l-5 9a2 2 0 0 0 2 3h10a2 2 0 0 0 2-3l-5-9V3',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4',
  code: 'm8 7-5 5 5 5m8-10 5 5-5 5',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm5-2 5 5',
  terminal: 'M3 5h18v14H3zM7 9l3 3-3 3m6 0h4',
  minus: 'M5 12h14',
  download: 'M12 4v11m0 0-5-5m5 5 5-5M5 20h14',
  menu: 'M4 6h16M4 12h16M4 18h16',
  close: 'm6 6 12 12M18 6 6 18',
  check: 'm5 12.500 4.500 4.500L19 7',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7 8c.700-4 3.500-6 7-6s6.300 2 7 6',
  alert: 'M12 4 2.500 20h19zM12 10v5m0 2.500h.01',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-14v5l3 2',
  box: 'm12 3 8 4v10l-8 4-8-4V7zM4 7l8 4 8-4m-8 4v10',
  folder: 'M3 6h6l2 2h10v11H3z',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  upload: 'M12 15V4m0 0L7 9m5-5 5 5M5 20h14',
  more: 'M5 11.500h1v1H5zm6.500 0h1v1h-1zm6.500 0h1v1h-1z',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5m4-5v5',
  share: 'M9 12h6m-5-4H8a4 4 0 0 0 0 8h2m4-8h2a4 4 0 0 1 0 8h-2',
  stack: 'm12 3 9 5-9 5-9-5zm-9 9 9 5 9-5m-18 4 9 5 9-5',
} as const;
export type IconName = keyof typeof drawings;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      className="shrink-0"
    >
      <path d={drawings[name]} />
    </svg>
  );
}
