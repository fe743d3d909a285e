// reported as wall: does not lean on another port's adapter
import { openNats } from '../bus/nats.ts';

export const used = openNats;
