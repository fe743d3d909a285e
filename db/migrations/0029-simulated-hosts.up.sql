-- Whether a host is simulated, by its own last word on what it is made of. Null while it has not said: agents from before
-- this do not, until they are asked again.
alter table nodes add column simulated boolean
  generated always as ((topology -> 'simulated')::boolean) stored;
