// reported as no-library-internals: the inside of a package
import { wfQueueRunner } from '@vendor/engine/internal/queue';

export const poll = () => wfQueueRunner.poll();
