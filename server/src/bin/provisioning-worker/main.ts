import { runAlone } from '../run-alone.ts';
import { provisioningWorker } from './process.ts';

await runAlone(provisioningWorker);
