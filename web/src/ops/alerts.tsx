import type { NodeAlert } from '@gpuaas/sdk';
import { Chip, type Tone } from '../parts/chip.tsx';
import { Ago } from '../parts/time.tsx';
import { tellAlert } from '../words/ops/wall.ts';
import { spellMoments } from '../words/time.ts';

type Effect = NodeAlert['effect'];
const words: Readonly<Record<Effect, readonly [Tone, string]>> = {
  blocks_sale: ['bad', 'not sold'],
  blocks_transition: ['warn', 'not changed'],
  informs: ['calm', 'for information'],
};

/** Alerts, each with its effect. */
export function Alerts({ alerts }: { alerts: readonly (NodeAlert & { readonly node_name?: string | null })[] }) {
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
              from {alert.source}, <Ago at={alert.since} />
            </span>
          </span>
          <Chip tone={words[alert.effect][0]}>{words[alert.effect][1]}</Chip>
        </li>
      ))}
    </ul>
  );
}
