import { type Dot, heightOf, type Measured, spellValues } from '../../words/charts/measures.ts';
import { colourOf } from './stacked-bars.tsx';

const [width, height] = [1_000, 300];

/** Lines over time, one for each GPU. The figures of the chosen moment stand above; the page writes them out below. */
export function TimeLines({
  about,
  lines,
  values,
  fromMs,
  toMs,
  chosenMs,
}: {
  about: Measured;
  lines: readonly Dot[][][];
  /** Of the chosen moment. */
  values: readonly (number | null)[];
  fromMs: number;
  toMs: number;
  chosenMs: number | undefined;
}) {
  const most = heightOf(lines, about);
  const x = (atMs: number) => ((atMs - fromMs) / Math.max(1, toMs - fromMs)) * width;
  const y = (value: number) => height - (Math.min(value, most) / most) * height;
  const place = ({ atMs, value }: Dot) => `${x(atMs).toFixed(1)},${y(value).toFixed(1)}`;
  const says = spellValues(values, about.unit);
  return (
    <figure className="grid min-w-0 content-start gap-1">
      <figcaption className="flex flex-wrap items-baseline justify-between gap-x-2">
        <span className="text-sm text-dim">{about.label}</span>
        <span className="tabular font-semibold">{says}</span>
      </figcaption>
      <svg
        role="img"
        aria-label={`${about.label} over time: ${says}`}
        className="h-24 w-full rounded border-b border-edge bg-sunk/40"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
      >
        {chosenMs !== undefined && (
          <line
            x1={x(chosenMs)}
            x2={x(chosenMs)}
            y1={0}
            y2={height}
            className="stroke-line"
            vectorEffect="non-scaling-stroke"
          />
        )}
        {lines.flatMap((pieces, gpu) =>
          pieces.map((piece) => (
            <polyline
              // biome-ignore lint/suspicious/noArrayIndexKey: the place in the list is which GPU it is
              key={`${gpu} ${piece[0]?.atMs}`}
              fill="none"
              stroke={about.of === 'host' ? 'currentColor' : colourOf(gpu)}
              strokeWidth={1.5}
              strokeLinecap="round"
              strokeLinejoin="round"
              vectorEffect="non-scaling-stroke"
              // A line from a place to itself is drawn as a dot.
              points={(piece.length === 1 ? [...piece, ...piece] : piece).map(place).join(' ')}
            />
          )),
        )}
      </svg>
    </figure>
  );
}
