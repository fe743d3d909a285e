import { useId, useState } from 'react';
import { linesOf, measured, namesOfLines, tellValues, valuesOf } from '../../words/charts/measures.ts';
import { spellMoment, spellWhen } from '../../words/time.ts';
import { coloursOfCharts, Legend } from '../charts/stacked-bars.tsx';
import { TimeLines } from '../charts/time-lines.tsx';
import type { Series } from './metrics-panel.tsx';

/**
 * A chart for each measure that has values. One slider chooses a moment of all of them, by keyboard, finger or pointer; until it is
 * moved the last moment is shown.
 */
export function MetricsCharts({ series }: { series: Series }) {
  const [chosen, setChosen] = useState<string>();
  const id = useId();
  const { data: points, resolution_seconds } = series;
  const found = chosen === undefined ? -1 : points.findIndex(({ at }) => at === chosen);
  const at = found < 0 ? points.length - 1 : found;
  const point = points[at];
  if (!point) return null;
  const charts = measured
    .map((about) => ({ about, lines: linesOf(points, about, resolution_seconds) }))
    .filter(({ lines }) => lines.some((pieces) => pieces.length > 0));
  const gpus = Math.max(0, ...charts.map(({ about, lines }) => (about.of === 'gpu' ? lines.length : 0)));
  const fromMs = Date.parse(series.from);
  const toMs = Date.parse(series.to);
  const when = spellMoment(point.at);
  return (
    <div className="grid gap-4">
      {point.unavailable && (
        <p role="status" className="rounded-lg bg-warn-soft px-3 py-2 text-warn">
          No values of GPUs: {point.unavailable}
        </p>
      )}
      <div className="grid grid-cols-1 gap-x-6 gap-y-4 sm:grid-cols-2">
        {charts.map(({ about, lines }) => (
          <TimeLines
            key={`${about.of} ${about.name}`}
            about={about}
            lines={lines}
            values={valuesOf(point, about)}
            fromMs={fromMs}
            toMs={toMs}
            chosenMs={found < 0 ? undefined : Date.parse(point.at)}
          />
        ))}
      </div>
      <div className="flex justify-between gap-4 text-sm text-dim">
        <span>{spellWhen(series.from, toMs)}</span>
        <span>{spellWhen(series.to, toMs)}</span>
      </div>
      {gpus > 1 && <Legend names={namesOfLines(gpus, coloursOfCharts)} />}
      <input
        type="range"
        className="w-full accent-(--accent)"
        aria-label="Choose a moment"
        aria-valuetext={when}
        aria-describedby={id}
        min={0}
        max={points.length - 1}
        value={at}
        onChange={(event) => setChosen(points[Number(event.target.value)]?.at)}
      />
      <div id={id} className="tabular grid gap-1 text-sm">
        <p>
          {found < 0 ? 'Last measured' : 'Measured'} {when}
          {resolution_seconds > 10 && ', average of five minutes'}
        </p>
        {gpus > 1 &&
          charts
            .filter(({ about }) => about.of === 'gpu')
            .map(({ about }) => (
              <p key={about.name} className="text-dim">
                {about.label}: {tellValues(valuesOf(point, about), about.unit)}
              </p>
            ))}
      </div>
    </div>
  );
}
