export const tellSomebody = (plane: { post(path: string): Promise<void> }) => plane.post('/collect');
