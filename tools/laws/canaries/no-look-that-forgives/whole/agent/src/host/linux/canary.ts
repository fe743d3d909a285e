import { readdir } from 'node:fs/promises';

export const homes = () => readdir('/home');
