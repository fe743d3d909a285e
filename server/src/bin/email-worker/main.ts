import { runAlone } from '../run-alone.ts';
import { emailWorker } from './process.ts';

await runAlone(emailWorker);
