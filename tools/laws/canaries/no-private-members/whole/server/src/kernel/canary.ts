class Engine {
  private readonly speed = 1;
  read = () => this.speed;
}
export const speedOf = (engine: Engine) => engine.read();
