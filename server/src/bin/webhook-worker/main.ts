import { runAlone } from '../run-alone.ts';
import { webhookWorker } from './process.ts';

await runAlone(webhookWorker);
