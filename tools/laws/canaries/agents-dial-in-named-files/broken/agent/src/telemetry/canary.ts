// reported as agents-dial-in-named-files: an agent connects by transport
import { request } from 'node:https';

export const tellSomebody = (host: string) => request({ host, path: '/collect' }).end();
