// reported as wall: through its door, index.ts
import { rule } from '../things/rules.ts';

export const used = rule;
