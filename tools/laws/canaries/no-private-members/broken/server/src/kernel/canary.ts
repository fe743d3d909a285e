// reported as typescript(dot-notation): is better written in dot notation
class Engine {
  private readonly speed = 1;
  read = () => this.speed;
}
export const speedOf = (engine: Engine) => engine['speed'];
