import { runAlone } from '../run-alone.ts';
import { billingWorker } from './process.ts';

await runAlone(billingWorker);
