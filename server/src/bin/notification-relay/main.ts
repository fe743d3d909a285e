import { runAlone } from '../run-alone.ts';
import { notificationRelay } from './process.ts';

await runAlone(notificationRelay);
