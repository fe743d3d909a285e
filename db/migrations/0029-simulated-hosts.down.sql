alter table nodes drop column simulated;
