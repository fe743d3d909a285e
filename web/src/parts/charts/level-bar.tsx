/** A share of a limit as a bar. The words beside it say the same in figures. */
export function LevelBar({
  label,
  percent,
  tone,
  mark,
}: {
  label: string;
  percent: number;
  tone: 'ok' | 'warn' | 'bad';
  /** A second limit within the bar. */
  mark?: number | undefined;
}) {
  const fills = { ok: 'bg-ok', warn: 'bg-warn', bad: 'bg-bad' } as const;
  return (
    <div
      role="img"
      aria-label={`${label}: ${Math.max(0, Math.round(percent)).toLocaleString('en')} %`}
      className="relative h-2 w-full overflow-hidden rounded-full bg-sunk"
    >
      <div
        className={`h-full rounded-full ${fills[tone]}`}
        style={{ width: `${Math.min(100, Math.max(percent > 0 ? 2 : 0, percent))}%` }}
      />
      {mark !== undefined && mark < 100 && (
        <div className="absolute inset-y-0 w-0.5 bg-ink/60" style={{ insetInlineStart: `${mark}%` }} />
      )}
    </div>
  );
}
