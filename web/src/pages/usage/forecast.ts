import { api } from '../../client/api.ts';
import { useAsk } from '../../client/ask.ts';

const freshMs = 300_000;
/** The chart and the strip share one request. */
export const useForecast = (organization_id: string) =>
  useAsk(['billing', 'forecast', organization_id], (options) => api.billing.forecastGet({ organization_id }, options), {
    freshMs,
  });
