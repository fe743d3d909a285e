export { advanceNode, type NodeTransition } from './machine.ts';
