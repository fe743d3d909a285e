/** Where it is announced that slots came free. A name between processes of one installation. */
export const capacityChannel = 'gpuaas_capacity';
