import type { SimulatedNode } from '@gpuaas/contract';

/** What can be done to simulated hosts while they run. An order for a host that is not there answers nothing. */
export interface SimulatedFleet {
  look(): Promise<Picture>;
  order(order: FleetOrder): Promise<SimulatedNode | undefined>;
  setSpeed(speed: number): Promise<void>;
}

export interface Picture {
  readonly speed: number;
  readonly nodes: SimulatedNode[];
}

export type FleetOrder =
  | {
      readonly kind: 'set_fault';
      readonly nodeId: string;
      readonly fault: FaultName;
      readonly once: boolean;
      readonly slotIndex: number;
    }
  | { readonly kind: 'clear_faults'; readonly nodeId: string; readonly fault: FaultName | undefined }
  | { readonly kind: 'switch_agent'; readonly nodeId: string; readonly state: 'running' | 'stopped' };
type FaultName = SimulatedNode['faults'][number]['fault'];
