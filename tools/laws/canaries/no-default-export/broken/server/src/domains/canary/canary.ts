// reported as lint/style/noDefaultExport: default
const one = 1;
export default one;
