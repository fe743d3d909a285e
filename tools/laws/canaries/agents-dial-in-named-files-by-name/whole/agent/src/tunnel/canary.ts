import { constants, performServerHandshake } from 'node:http2';
import type { Duplex } from 'node:stream';

export const answerProxy = (given: Duplex) => performServerHandshake(given).goaway(constants.NGHTTP2_NO_ERROR);
