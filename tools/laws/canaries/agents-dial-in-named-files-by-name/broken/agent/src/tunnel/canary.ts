// reported as agents-dial-in-named-files: an agent connects by transport
import { connect, constants } from 'node:http2';

export const callProxy = (url: string) => connect(url).goaway(constants.NGHTTP2_NO_ERROR);
