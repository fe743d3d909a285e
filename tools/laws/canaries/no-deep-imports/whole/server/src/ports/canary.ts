import { openQueue } from '@vendor/engine/queue';

export const poll = () => openQueue().poll();
