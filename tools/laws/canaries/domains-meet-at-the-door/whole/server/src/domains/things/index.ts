export { rule } from './rules.ts';
