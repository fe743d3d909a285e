import type { NodeAlert, Runbook } from '@gpuaas/sdk';
import { Chip, type Tone } from '../parts/chip.tsx';
import { RunbookLink } from '../parts/operators/runbook-link.tsx';
import { Ago } from '../parts/time.tsx';
import { tellAlert } from '../words/ops/wall.ts';
import { spellMoments } from '../words/time.ts';

type Effect = NodeAlert['effect'];
const words: Readonly<Record<Effect, readonly [Tone, string]>> = {
  blocks_sale: ['bad', 'not sold'],
  blocks_transition: ['warn', 'not changed'],
  informs: ['calm', 'for information'],
};

/** Alerts, each with its effect, and with the runbook of its source where the page knows the runbooks. */
export function Alerts({
  alerts,
  runbooks = [],
}: {
  alerts: readonly (NodeAlert & { readonly node_name?: string | null })[];
  runbooks?: readonly Runbook[] | undefined;
}) {
  const runbookOf = (source: string) => runbooks.find(({ signals }) => signals.includes(`alert:${source}`))?.id;
  if (alerts.length === 0) return null;
  return (
    <ul aria-label="Alerts" className="grid gap-2">
      {alerts.map((alert) => (
        <li key={alert.id} className="panel flex flex-wrap items-start justify-between gap-3">
          <span className="min-w-0 grow">
            <span className="font-medium">
              {alert.node_name && `${alert.node_name}: `}
              {spellMoments(tellAlert(alert))}
            </span>
            <span className="block text-sm text-dim">
              from {alert.source}, <Ago at={alert.since} /> <RunbookLink id={runbookOf(alert.source)} />
            </span>
          </span>
          <Chip tone={words[alert.effect][0]}>{words[alert.effect][1]}</Chip>
        </li>
      ))}
    </ul>
  );
}
