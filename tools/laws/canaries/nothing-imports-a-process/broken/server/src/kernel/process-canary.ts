// reported as wall: nothing imports a process
export { api } from '../bin/api/process.ts';
