import { runAlone } from '../run-alone.ts';
import { outboxRelay } from './process.ts';

await runAlone(outboxRelay);
