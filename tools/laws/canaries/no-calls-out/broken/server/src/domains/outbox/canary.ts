// reported as no-calls-out: talk to the outside through a port, and to other processes by rows and events
export const wakeTheRelay = () => fetch('http://relay:9104/wake', { method: 'POST' });
