import { useId, useState } from 'react';
import { heightOf } from '../../words/charts/layers.ts';

export interface Bar {
  readonly key: string;
  readonly label: string;
  /** What the bar says when it is chosen. */
  readonly says: string;
  /** From the bottom up, in the order of the series. */
  readonly parts: readonly number[];
  /** An expectation instead of a fact: a band around it, drawn lighter. */
  readonly band?: { readonly low: number; readonly high: number };
}

const colours = ['1', '2', '3', '4', '5', '6'].map((number) => `var(--chart-${number})`);
export const coloursOfCharts = colours.length;
export const colourOf = (index: number): string => colours[Math.min(index, colours.length - 1)] ?? '';

const [height, step, gap, least] = [1_000, 100, 16, 6];

/**
 * Bars in layers. A slider below the bars chooses one of them, by keyboard, finger or pointer, and what it stands for is written
 * out; every figure is in the table of the page too.
 */
export function StackedBars({ label, bars, names }: { label: string; bars: readonly Bar[]; names: readonly string[] }) {
  const [chosen, setChosen] = useState<number>();
  const id = useId();
  // The last fact first; what is expected stands behind it.
  const at = Math.min(chosen ?? bars.findLastIndex(({ band }) => band === undefined), bars.length - 1);
  const most = Math.max(1, ...bars.map(({ parts, band }) => Math.max(heightOf(parts), band?.high ?? 0)));
  const tall = (value: number) => (value / most) * height;
  const shown = bars[at];
  return (
    <figure className="grid gap-2">
      <svg
        role="img"
        aria-label={label}
        className="h-56 w-full border-b border-edge"
        viewBox={`0 0 ${Math.max(1, bars.length) * step} ${height}`}
        preserveAspectRatio="none"
      >
        {bars.map((bar, index) => (
          <g key={bar.key} onPointerEnter={() => setChosen(index)}>
            <rect
              x={index * step}
              y={0}
              width={step}
              height={height}
              className={index === at ? 'fill-sunk' : 'fill-transparent'}
            />
            {bar.band && (
              <rect
                x={index * step + gap * 2}
                y={height - tall(bar.band.high)}
                width={step - gap * 4}
                height={Math.max(least, tall(bar.band.high - bar.band.low))}
                fill={colourOf(0)}
                opacity={0.25}
              />
            )}
            <Layers bar={bar} x={index * step + gap / 2} tall={tall} />
          </g>
        ))}
      </svg>
      <input
        type="range"
        className="w-full accent-(--accent)"
        aria-label="Choose a bar"
        aria-valuetext={shown?.says ?? ''}
        aria-describedby={id}
        min={0}
        max={Math.max(0, bars.length - 1)}
        value={at}
        onChange={(event) => setChosen(Number(event.target.value))}
      />
      <div className="flex justify-between gap-4 text-sm text-dim">
        <span>{bars[0]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </div>
      <p id={id} className="tabular min-h-6 text-sm">
        {shown?.says}
      </p>
      <Legend names={names} />
    </figure>
  );
}

function Layers({ bar, x, tall }: { bar: Bar; x: number; tall: (value: number) => number }) {
  const isEmpty = heightOf(bar.parts) === 0;
  if (isEmpty) return <rect x={x} y={height - least} width={step - gap} height={least} className="fill-edge" />;
  return bar.parts.map((part, index) => {
    if (part === 0) return null;
    const below = heightOf(bar.parts.slice(0, index));
    return (
      <rect
        key={colourOf(index)}
        x={x}
        y={height - tall(below + part)}
        width={step - gap}
        height={tall(part)}
        fill={colourOf(index)}
        opacity={bar.band ? 0.55 : 1}
      />
    );
  });
}

export function Legend({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm" aria-label="Colours">
      {names.map((name, index) => (
        <li key={name} className="flex min-w-0 items-center gap-2">
          <span className="size-3 shrink-0 rounded-sm" style={{ background: colourOf(index) }} aria-hidden />
          <bdi className="truncate">{name}</bdi>
        </li>
      ))}
    </ul>
  );
}
